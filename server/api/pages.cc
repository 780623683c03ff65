#include "server/api/pages.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/rng.h"

namespace traind::server::api {
namespace {

std::string ScopeMark(absl::string_view scope) { return absl::StrCat(absl::Hex(HashKey(0, scope), absl::kZeroPad16), "-"); }

}  // namespace

absl::StatusOr<Page> ParsePage(int page_size, const std::string& token, absl::string_view scope) {
  Page page;
  if (page_size < 0) return absl::InvalidArgumentError("page_size is negative; leave it out for the default");
  if (page_size > 0) page.size = std::min(page_size, kLargestPage);
  if (token.empty()) return page;
  const std::string mark = ScopeMark(scope);
  if (!token.starts_with(mark) || token.size() == mark.size()) {
    return absl::InvalidArgumentError("page_token is not one that this list returned, or filter or parent have changed; start without one");
  }
  page.start = token.substr(mark.size());
  return page;
}

std::string PageToken(absl::string_view start, absl::string_view scope) { return absl::StrCat(ScopeMark(scope), start); }

}  // namespace traind::server::api
