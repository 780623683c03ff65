// Passes over the evaluation environments of a fold: greedy, without learning.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "worker/envs/environment_set.h"
#include "worker/rl/baselines.h"
#include "worker/train/trainer.h"

namespace traind::worker::rl {

// One pass of an environment that ends, or `steps` steps of one that does not.
struct Pass {
  envs::Ledger ledger;     // empty without prices
  double mean_reward = 0;  // per step
  double trade_share = 0;  // of steps that changed the position
  int64_t steps = 0;
  envs::EnvState last_state;
};

// Runs until the episode ends or `max_steps` are done. `stop` is asked every step: CANCELLED when it is true.
absl::StatusOr<Pass> RunPolicy(envs::EvaluationEnvironment& environment, train::Policy& policy, int64_t max_steps, RandomStream& random,
                               const std::function<bool()>& stop);
Pass RunRule(envs::EvaluationEnvironment& environment, const Rule& rule, RandomStream& random);

}  // namespace traind::worker::rl
