#include "worker/rl/dqn_task.h"

#include <utility>

#include "common/base/status.h"
#include "common/base/units.h"
#include "worker/rl/dqn_options.h"
#include "worker/rl/dqn_trainer.h"
#include "worker/rl/memory_need.h"
#include "worker/rl/walk_forward_task.h"

namespace traind::worker::rl {

absl::StatusOr<std::unique_ptr<Task>> MakeDqnTask(const Params& params) {
  ASSIGN_OR_RETURN(const DqnOptions dqn, DqnOptions::FromParams(params));
  ASSIGN_OR_RETURN(WalkForwardOptions options, WalkForwardOptions::FromParams(params));
  ASSIGN_OR_RETURN(const std::string memory, params.Get<std::string>("limits.memory"));
  ASSIGN_OR_RETURN(const uint64_t allowed, ParseSizeText(memory));
  // Before any data are read, what is certain already.
  RETURN_IF_ERROR(CheckMemory(dqn, 0, 0, allowed));
  options.steps_per_fold = dqn.steps;
  ASSIGN_OR_RETURN(options.evaluation_steps, params.Get<int64_t>("dqn.evaluation_steps"));
  return std::make_unique<WalkForwardTask>(
      std::move(options),
      [dqn, allowed](const envs::EnvironmentSet& environments, uint64_t seed) -> absl::StatusOr<std::unique_ptr<train::Trainer>> {
        const envs::ObservationSource& observations = environments.observations();
        RETURN_IF_ERROR(CheckMemory(dqn, observations.observation_size(), observations.num_actions(), allowed));
        return std::make_unique<DqnTrainer>(dqn, environments, seed);
      });
}

}  // namespace traind::worker::rl
