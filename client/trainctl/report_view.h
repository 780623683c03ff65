// A job's report.json as tables: what the policy earned out of sample, beside the baselines. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace traind::client::trainctl {

// Strategies over all folds, net returns by fold and instrument, next positions, and the verdict as the last line. Parts that the report
// does not have are left out. DATA_LOSS when it is not JSON.
absl::StatusOr<std::string> RenderReport(absl::string_view report_json);

}  // namespace traind::client::trainctl
