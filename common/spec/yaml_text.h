// YAML text to a tree of nodes, within bounds. Internal to common/spec: the one place where yaml-cpp's parser is called.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "yaml-cpp/yaml.h"

namespace traind::spec {

// INVALID_ARGUMENT, never an exception: not text, not YAML (with "line 3, column 5"), several documents, lists and blocks nested deeper
// than 32, or more than 100,000 values. A text without a value gives a null node.
absl::StatusOr<YAML::Node> ParseYamlText(absl::string_view text);

}  // namespace traind::spec
