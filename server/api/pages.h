// Lists in pages (AIP-158). Pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"

namespace traind::server::api {

inline constexpr int kDefaultPage = 200;
inline constexpr int kLargestPage = 1000;

struct Page {
  int64_t start = 0;  // what the token of the page before said; 0 for the first
  int size = kDefaultPage;
};

// 0 means the default size, too large ones are cut. INVALID_ARGUMENT: a negative size, or a token that we did not make.
inline absl::StatusOr<Page> ParsePage(int page_size, const std::string& token) {
  Page page;
  if (page_size < 0) return absl::InvalidArgumentError("page_size is negative; leave it out for the default");
  if (page_size > 0) page.size = std::min(page_size, kLargestPage);
  if (!token.empty() && (!absl::SimpleAtoi(token, &page.start) || page.start < 0)) {
    return absl::InvalidArgumentError("page_token is not one that a list returned; start without one");
  }
  return page;
}

}  // namespace traind::server::api
