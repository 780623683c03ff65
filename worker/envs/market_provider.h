#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "worker/envs/environment_set.h"

namespace traind::worker::envs {

// Reads the job's data and cuts its folds. Errors carry cause DATA, or are field errors.
absl::StatusOr<std::unique_ptr<EnvironmentProvider>> MakeMarket(const Params& params, const data::OpenFile& open);

}  // namespace traind::worker::envs
