// Rainbow (Hessel et al., AAAI 2018) and its parts, each of which a job can leave out: Double DQN, dueling streams, n-step returns,
// prioritised replay, noisy layers, a categorical head; beside them a quantile head (IQN) and the conservative term (CQL). A truncated
// window bootstraps from the last state before the reset, a terminated one does not. Steps before the first update act at random.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/rng.h"
#include "worker/envs/environment_set.h"
#include "worker/rl/batch_gather.h"
#include "worker/rl/dqn_learner.h"
#include "worker/rl/dqn_options.h"
#include "worker/rl/epsilon_schedule.h"
#include "worker/rl/greedy_actor.h"
#include "worker/rl/replay.h"
#include "worker/rl/value_support.h"
#include "worker/train/double_buffered_loader.h"
#include "worker/train/running.h"
#include "worker/train/trainer.h"

namespace traind::worker::rl {

class DqnTrainer final : public train::Trainer {
 public:
  // `environments` outlives it. `seed` is the fold's.
  DqnTrainer(const DqnOptions& options, const envs::EnvironmentSet& environments, uint64_t seed);

  int64_t total_steps() const override { return options_.steps; }
  absl::Status TrainFold(train::TrainCallbacks& callbacks) override;
  train::Policy& policy() override { return actor_; }
  train::TrainerState State() const override;
  std::string WeightsHash() const override;

 private:
  // One step in the environment, stored.
  absl::Status Interact();
  Choice ChooseAction(const envs::EnvState& state);
  // Draws the batch of an update to come; it is gathered while other work goes on.
  void RequestBatch();
  // One update of the online network from the batch requested `sample_lag` updates ago.
  absl::Status Update();
  // A step that was not finite has been skipped; the third in a row goes back to the last checkpoint, once.
  absl::Status AfterSkippedStep();
  void Observe(const UpdateResult& result, const GatheredBatch& batch);
  void ReportMetrics(train::TrainCallbacks& callbacks);
  absl::Status SaveCheckpoint(train::TrainCallbacks& callbacks);
  double cql_alpha() const;

  const DqnOptions options_;
  const envs::EnvironmentSet& environments_;
  const std::unique_ptr<envs::Environment> environment_;
  DqnLearner learner_;
  Replay replay_;
  train::DoubleBufferedLoader<GatheredBatch> loader_;
  GreedyActor actor_;
  models::Noise acting_noise_;
  const EpsilonSchedule epsilon_;
  SupportEstimate support_;
  // Apart, so that a change in how often one is used moves no other.
  RandomStream environment_random_, action_random_, replay_random_, acting_noise_random_;

  int64_t step_ = 0;
  DqnLearner::Snapshot last_good_;
  bool went_back_ = false;
  std::vector<double> priorities_;
  // Smoothed over about a hundred updates, or steps.
  train::RunningMean loss_{0.99}, reward_{0.999};
  std::map<std::string, train::RunningMean> means_;
};

}  // namespace traind::worker::rl
