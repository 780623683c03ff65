// Acting with a value network, one state at a time, in buffers that are made once.
#pragma once

#include <cstdint>
#include <vector>

#include "worker/envs/environment.h"
#include "worker/models/q_network.h"
#include "worker/train/trainer.h"

namespace traind::worker::rl {

// Thread-compatible. Network and observations outlive it.
class GreedyActor final : public train::Policy {
 public:
  GreedyActor(models::QNetwork& network, const envs::ObservationSource& observations);

  // The allowed action with the highest expected value, noisy layers at their means; the first of equal ones.
  int Act(const envs::EnvState& state) override { return Act(state, nullptr); }
  // The same under a draw of the noise; null: the means.
  int Act(const envs::EnvState& state, const models::Noise* noise);
  // A uniformly drawn allowed action.
  int ActRandomly(const envs::EnvState& state, RandomStream& random);
  // Whether every number of the observation that Act last looked at was finite.
  bool last_observation_finite() const;

 private:
  models::QNetwork& network_;
  const envs::ObservationSource& observations_;
  torch::Tensor observation_;  // [1, observation_size]
  std::vector<uint8_t> allowed_;
};

}  // namespace traind::worker::rl
