#include "common/spec/origins.h"

#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace traind::spec {
namespace {

// The path without its last index or name; "" for a top-level name.
absl::string_view Parent(absl::string_view path) {
  const size_t cut = path.find_last_of(".[");
  return cut == absl::string_view::npos ? absl::string_view() : path.substr(0, cut);
}

}  // namespace

bool IsWithin(absl::string_view path, absl::string_view block) {
  if (!absl::StartsWith(path, block)) return false;
  return block.empty() || path.size() == block.size() || path[block.size()] == '.' || path[block.size()] == '[';
}

std::string OriginOf(const Origins& origins, absl::string_view path) {
  for (absl::string_view at = path; !at.empty(); at = Parent(at)) {
    const auto it = origins.find(std::string(at));
    if (it != origins.end()) return it->second;
    if (at != path) continue;
    for (auto below = origins.lower_bound(std::string(at)); below != origins.end() && absl::StartsWith(below->first, at); ++below) {
      if (IsWithin(below->first, at)) return below->second;
    }
  }
  return "";
}

void EraseWithin(absl::string_view path, Origins& origins) {
  auto it = origins.lower_bound(std::string(path));
  while (it != origins.end() && absl::StartsWith(it->first, path)) {
    it = IsWithin(it->first, path) ? origins.erase(it) : std::next(it);
  }
}

void AddOrigins(const Origins& origins, std::vector<FieldError>& errors) {
  for (FieldError& error : errors) {
    const std::string origin = OriginOf(origins, error.path);
    if (!origin.empty()) absl::StrAppend(&error.message, " (", origin, ")");
  }
}

}  // namespace traind::spec
