#include "common/spec/data_path.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/spec/text.h"

namespace traind::spec {
namespace {

constexpr size_t kMaxBytes = 4096;
constexpr size_t kMaxRootName = 64;

absl::Status Refuse(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("\"", Printable(text), "\" ", why));
}

}  // namespace

bool IsRootName(absl::string_view name) {
  const auto small = [](char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c); };
  return !name.empty() && name.size() <= kMaxRootName && small(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return small(c) || c == '.' || c == '_' || c == '-'; });
}

absl::StatusOr<DataPath> ParseDataPath(absl::string_view text) {
  if (text.size() > kMaxBytes) return Refuse(text, absl::StrCat("is ", text.size(), " bytes long; at most ", kMaxBytes, " are allowed"));
  if (!CheckText(text).ok() || std::any_of(text.begin(), text.end(), absl::ascii_iscntrl)) {
    return Refuse(text, "holds control characters or bytes that are not UTF-8");
  }
  const size_t colon = text.find(':');
  if (colon == absl::string_view::npos || !IsRootName(text.substr(0, colon))) {
    return Refuse(text, "does not start with a root; write root:path, root being a name under data_roots in the daemon's configuration");
  }
  const absl::string_view path = text.substr(colon + 1);
  if (path.empty()) return Refuse(text, "names no file after the root");
  if (absl::StartsWith(path, "/")) return Refuse(text, "has an absolute path after the root; write it relative to the root's folder");
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part == "..") return Refuse(text, "leaves its root (\"..\")");
    if (part.empty() || part == ".") return Refuse(text, "has an empty or \".\" part; write the plain path");
  }
  return DataPath{std::string(text.substr(0, colon)), std::string(path)};
}

}  // namespace traind::spec
