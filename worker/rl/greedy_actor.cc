#include "worker/rl/greedy_actor.h"

#include <cmath>

namespace traind::worker::rl {

GreedyActor::GreedyActor(models::QNetwork& network, const envs::ObservationSource& observations)
    : network_(network),
      observations_(observations),
      observation_(torch::zeros({1, observations.observation_size()})),
      allowed_(static_cast<size_t>(observations.num_actions())) {}

int GreedyActor::Act(const envs::EnvState& state, const models::Noise* noise) {
  const torch::NoGradGuard no_grad;
  observations_.Gather({&state, 1}, {observation_.data_ptr<float>(), static_cast<size_t>(observation_.numel())});
  observations_.ActionMask(state, allowed_);
  const torch::Tensor q = network_.ExpectedQ(observation_, {.noise = noise}).contiguous();
  const float* const values = q.data_ptr<float>();
  int best = -1;
  for (int action = 0; action < static_cast<int>(allowed_.size()); ++action) {
    if (allowed_[static_cast<size_t>(action)] != 0 && (best < 0 || values[action] > values[best])) best = action;
  }
  return best;
}

int GreedyActor::ActRandomly(const envs::EnvState& state, RandomStream& random) {
  observations_.ActionMask(state, allowed_);
  int action = 0;
  do {
    action = static_cast<int>(random.UniformInt(allowed_.size()));
  } while (allowed_[static_cast<size_t>(action)] == 0);
  return action;
}

bool GreedyActor::last_observation_finite() const {
  const float* const values = observation_.data_ptr<float>();
  for (int64_t i = 0; i < observation_.numel(); ++i) {
    if (!std::isfinite(values[i])) return false;
  }
  return true;
}

}  // namespace traind::worker::rl
