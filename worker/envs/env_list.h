// Every environment that a job file can name: the one list to add a line to.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "worker/envs/environment_set.h"

namespace traind::worker::envs {

// The environments of the job's `env`. INVALID_ARGUMENT, a field error with the list, for a name that is not in it; cause DATA for what is
// wrong with the data.
absl::StatusOr<std::unique_ptr<EnvironmentProvider>> MakeEnvironments(const Params& params, const data::OpenFile& open);

}  // namespace traind::worker::envs
