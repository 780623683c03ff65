// Files to start from. All functions are pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace traind::spec {

// A commented job file for a task ("dqn"): the fields that matter with their defaults, the rest in comments. NOT_FOUND with the tasks there
// are.
absl::StatusOr<std::string> JobTemplate(absl::string_view task);

// A commented traind.yaml in which every line is a comment that shows the default.
std::string ConfigTemplate();

}  // namespace traind::spec
