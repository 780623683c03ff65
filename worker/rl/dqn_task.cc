#include "worker/rl/dqn_task.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "common/base/units.h"
#include "worker/rl/dqn_options.h"
#include "worker/rl/dqn_trainer.h"
#include "worker/rl/walk_forward_task.h"

namespace traind::worker::rl {
namespace {

absl::Status CheckMemory(const DqnOptions& dqn, const Params& params) {
  ASSIGN_OR_RETURN(const std::string memory, params.Get<std::string>("limits.memory"));
  ASSIGN_OR_RETURN(const uint64_t allowed, ParseSizeText(memory));
  const uint64_t needed = IndexReplay::BytesFor(dqn.replay_capacity);
  if (needed <= allowed) return absl::OkStatus();
  return WithCause(
      FieldErrorsStatus({{"dqn.replay_capacity", absl::StrCat(dqn.replay_capacity, " transitions take ", needed >> 20,
                                                              " MiB, more than limits.memory ", memory, "; lower it or raise the limit")}}),
      FailureCause::kConfig);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Task>> MakeDqnTask(const Params& params) {
  ASSIGN_OR_RETURN(const DqnOptions dqn, DqnOptions::FromParams(params));
  ASSIGN_OR_RETURN(WalkForwardOptions options, WalkForwardOptions::FromParams(params));
  RETURN_IF_ERROR(CheckMemory(dqn, params));
  options.steps_per_fold = dqn.steps;
  ASSIGN_OR_RETURN(options.evaluation_steps, params.Get<int64_t>("dqn.evaluation_steps"));
  return std::make_unique<WalkForwardTask>(std::move(options), [dqn](const envs::EnvironmentSet& environments, uint64_t seed) {
    return std::make_unique<DqnTrainer>(dqn, environments, seed);
  });
}

}  // namespace traind::worker::rl
