// DQN (Mnih et al., 2015) with the double target (van Hasselt et al., 2016): y = r + γ(1-T)·Q_target(s', argmax_a Q_online(s', a)). A
// truncated step bootstraps from the last state before the reset, a terminated one does not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/rng.h"
#include "worker/envs/environment_set.h"
#include "worker/models/q_network.h"
#include "worker/rl/dqn_options.h"
#include "worker/rl/epsilon_schedule.h"
#include "worker/rl/greedy_actor.h"
#include "worker/rl/index_replay.h"
#include "worker/train/adam_optimizer.h"
#include "worker/train/flat_parameters.h"
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
  // One update of the online network from a batch of the replay.
  absl::Status Update();
  void FillBatch();
  void CopyToTarget();
  void ReportMetrics(train::TrainCallbacks& callbacks);

  const DqnOptions options_;
  const envs::EnvironmentSet& environments_;
  const std::unique_ptr<envs::Environment> environment_;
  models::QNetwork online_;
  models::QNetwork target_;
  train::FlatParameters parameters_;
  train::FlatParameters target_parameters_;
  train::AdamOptimizer optimizer_;
  IndexReplay replay_;
  GreedyActor actor_;
  const EpsilonSchedule epsilon_;
  // Apart, so that a change in how often one is used moves no other.
  RandomStream environment_random_, action_random_, replay_random_;

  int64_t step_ = 0;
  int64_t updates_ = 0;
  // Smoothed over about a hundred updates, or steps.
  train::RunningMean loss_{0.99}, q_{0.99}, norm_{0.99}, reward_{0.999};

  // Buffers of a batch, made once.
  std::vector<Transition> batch_;
  std::vector<envs::EnvState> states_, next_states_;
  torch::Tensor observations_, next_observations_;  // [B, observation_size]
  torch::Tensor actions_;                           // [B] int64
  torch::Tensor rewards_, discounts_;               // [B]
  torch::Tensor next_forbidden_;                    // [B, A] bool
};

}  // namespace traind::worker::rl
