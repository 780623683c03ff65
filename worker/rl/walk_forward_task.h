// The task of every reinforcement-learning job: folds one after the other, each trained by a fresh trainer and evaluated greedily, then the
// report. Iteration lives here; training entirely in the trainer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/envs/environment_set.h"
#include "worker/rl/evaluation.h"
#include "worker/rl/fold_run.h"
#include "worker/rl/report/report.h"
#include "worker/task/task.h"
#include "worker/train/trainer.h"

namespace traind::worker::rl {

// A fresh trainer for one fold.
using TrainerFactory =
    std::function<absl::StatusOr<std::unique_ptr<train::Trainer>>(const envs::EnvironmentSet& environments, uint64_t seed)>;

struct WalkForwardOptions {
  uint64_t seed = 1;
  int64_t evaluation_steps = 0;  // of an environment that does not end
  int64_t steps_per_fold = 0;
  int threads = 1;
  CheckpointPlan checkpoints;

  // Reads seed, resources.threads, checkpoint.* and what the coordinator alone acts on.
  static absl::StatusOr<WalkForwardOptions> FromParams(const Params& params);
};

class WalkForwardTask final : public Task {
 public:
  WalkForwardTask(WalkForwardOptions options, TrainerFactory make_trainer)
      : options_(std::move(options)), make_trainer_(std::move(make_trainer)) {}

  absl::Status Run(TaskContext& context) override;
  absl::StatusOr<std::string> ValidateData(TaskContext& context) override;

 private:
  absl::StatusOr<std::unique_ptr<envs::EnvironmentProvider>> MakeProvider(TaskContext& context) const;
  absl::Status RunFold(TaskContext& context, envs::EnvironmentProvider& provider, int fold);
  // Passes of the policy and of the baselines over each evaluation environment of a fold.
  absl::Status Evaluate(TaskContext& context, const envs::EnvironmentSet& environments, train::Policy& policy, int fold);
  absl::Status WriteReport(TaskContext& context, envs::EnvironmentProvider& provider);
  void SetPassResults(TaskContext& context, const envs::EnvironmentProvider& provider) const;

  const WalkForwardOptions options_;
  const TrainerFactory make_trainer_;
  // Filled fold by fold.
  ReportInputs report_;
  Pass last_pass_;
  std::string weights_hashes_;
  train::RunningRate rate_;
};

}  // namespace traind::worker::rl
