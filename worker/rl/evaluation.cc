#include "worker/rl/evaluation.h"

#include <limits>
#include <vector>

namespace traind::worker::rl {
namespace {

template <typename Act>
absl::StatusOr<Pass> Run(envs::EvaluationEnvironment& environment, int64_t max_steps, RandomStream& random,
                         const std::function<bool()>& stop, Act act) {
  Pass pass;
  double rewards = 0, trades = 0;
  environment.Reset(random);
  for (bool ended = false; !ended && pass.steps < max_steps; ++pass.steps) {
    if (stop()) return absl::CancelledError("stopped");
    const envs::StepOutcome outcome = environment.Step(act(environment.state()));
    rewards += outcome.reward;
    trades += environment.traded() ? 1 : 0;
    ended = outcome.ended();
  }
  pass.last_state = environment.state();
  if (environment.ledger() != nullptr) pass.ledger = *environment.ledger();
  pass.mean_reward = rewards / static_cast<double>(pass.steps);
  pass.trade_share = trades / static_cast<double>(pass.steps);
  return pass;
}

}  // namespace

absl::StatusOr<Pass> RunPolicy(envs::EvaluationEnvironment& environment, train::Policy& policy, int64_t max_steps, RandomStream& random,
                               const std::function<bool()>& stop) {
  return Run(environment, max_steps, random, stop, [&](const envs::EnvState& state) { return policy.Act(state); });
}

Pass RunRule(envs::EvaluationEnvironment& environment, const Rule& rule, RandomStream& random) {
  std::vector<uint8_t> allowed(static_cast<size_t>(environment.observations().num_actions()));
  return *Run(
      environment, std::numeric_limits<int64_t>::max(), random, [] { return false; },
      [&](const envs::EnvState& state) {
        environment.observations().ActionMask(state, allowed);
        return rule(environment.trading_view(), allowed, random);
      });
}

}  // namespace traind::worker::rl
