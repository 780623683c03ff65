// The ingest report of a data check as a page. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace traind::client::trainctl {

// One line for each instrument, then what the checks found, features and folds. DATA_LOSS when it is not JSON.
absl::StatusOr<std::string> RenderIngest(absl::string_view report_json);

}  // namespace traind::client::trainctl
