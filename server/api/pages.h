// Lists in pages (AIP-158). Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace traind::server::api {

inline constexpr int kDefaultPage = 200;
inline constexpr int kLargestPage = 1000;
// A page ends early at this size, well below the bound of a message.
inline constexpr size_t kMaxPageBytes = 2 << 20;

struct Page {
  std::string start;  // what PageToken of the page before was given; empty for the first
  int size = kDefaultPage;
};

// `scope` is what the list is of (filter, parent): a token is good for the list it came from only. A size of 0 means the default, too large
// ones are cut. INVALID_ARGUMENT: a negative size, a token that we did not make, or one of another list.
absl::StatusOr<Page> ParsePage(int page_size, const std::string& token, absl::string_view scope);
std::string PageToken(absl::string_view start, absl::string_view scope);

}  // namespace traind::server::api
