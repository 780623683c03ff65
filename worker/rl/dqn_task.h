#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "common/base/params.h"
#include "worker/task/task.h"

namespace traind::worker::rl {

// The task of a `dqn` job. INVALID_ARGUMENT for parameters that only the worker can judge.
absl::StatusOr<std::unique_ptr<Task>> MakeDqnTask(const Params& params);

}  // namespace traind::worker::rl
