// A job's report.json as tables: what the policy earned out of sample, beside the baselines. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "traind/v1/job.pb.h"

namespace traind::client::trainctl {

// Figures of the strategies over all folds, the policy's mean and worst fold, net returns by fold and instrument, positions, from the
// results of `job` the deflated Sharpe ratio, and the verdict as the last line. Parts that are not there are left out. DATA_LOSS when the
// report is not JSON.
absl::StatusOr<std::string> RenderReport(absl::string_view report_json, const v1::Job& job);

}  // namespace traind::client::trainctl
