// What fields mean, in words. All functions are pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"

namespace traind::spec {

// One field, or a block with its fields, as `trainctl config explain` prints it; an empty path lists the top. NOT_FOUND with what was
// probably meant.
absl::StatusOr<std::string> Explain(absl::string_view path, const google::protobuf::Descriptor& root);

// The pages docs/reference/job.md and config.md.
std::string JobReference();
std::string ConfigReference();

}  // namespace traind::spec
