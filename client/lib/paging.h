// Reads lists page by page. Internal to client/lib.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "common/base/status.h"

namespace traind::client {

inline constexpr int kPageSize = 1000;  // the server gives fewer if it likes

// `call` makes one call: Request → StatusOr<Response>. `items` are a Response's elements.
template <typename Item, typename Request, typename Call, typename Items>
absl::StatusOr<std::vector<Item>> AllPages(Request request, Call call, Items items) {
  std::vector<Item> all;
  request.set_page_size(kPageSize);
  for (;;) {
    ASSIGN_OR_RETURN(auto page, call(request));
    for (auto& item : *items(page)) all.push_back(std::move(item));
    if (page.next_page_token().empty()) return all;
    request.set_page_token(page.next_page_token());
  }
}

}  // namespace traind::client
