#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "traind/config/v1/daemon_config.pb.h"

namespace traind::spec {

// Reads traind.yaml, named `source` in errors, checks it and fills in the static defaults. INVALID_ARGUMENT with all field errors. An empty
// text, or one of comments only, is the default configuration. Pure.
absl::StatusOr<config::v1::DaemonConfig> LoadDaemonConfig(absl::string_view text, const std::string& source);

}  // namespace traind::spec
