#include "worker/rl/dqn_task.h"

#include <utility>

#include "common/base/status.h"
#include "worker/rl/dqn_options.h"
#include "worker/rl/dqn_trainer.h"
#include "worker/rl/walk_forward_task.h"

namespace traind::worker::rl {

absl::StatusOr<std::unique_ptr<Task>> MakeDqnTask(const Params& params) {
  ASSIGN_OR_RETURN(const DqnOptions dqn, DqnOptions::FromParams(params));
  ASSIGN_OR_RETURN(WalkForwardOptions options, WalkForwardOptions::FromParams(params));
  options.steps_per_fold = dqn.steps;
  ASSIGN_OR_RETURN(options.evaluation_steps, params.Get<int64_t>("dqn.evaluation_steps"));
  return std::make_unique<WalkForwardTask>(std::move(options), [dqn](const envs::EnvironmentSet& environments, uint64_t seed) {
    return std::make_unique<DqnTrainer>(dqn, environments, seed);
  });
}

}  // namespace traind::worker::rl
