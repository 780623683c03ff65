// Data files are named root:path, under a root of the daemon's configuration.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace traind::spec {

struct DataPath {
  std::string root;  // [a-z0-9][a-z0-9._-]{0,63}
  std::string path;  // relative, without "." and ".." parts
  bool operator==(const DataPath&) const = default;
};

// "market:daily/spy.csv". INVALID_ARGUMENT, a sentence without the field's name, for a text without a root, an absolute or empty path,
// one that leaves the root ("..") or has empty parts, control characters, or more than 4096 bytes. Pure: the file is not looked at.
absl::StatusOr<DataPath> ParseDataPath(absl::string_view text);

// Whether `name` may name a root.
bool IsRootName(absl::string_view name);

}  // namespace traind::spec
