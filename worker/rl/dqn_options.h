// The parameters of a DQN job.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/params.h"

namespace traind::worker::rl {

// Meaning, range and default of each: proto/traind/v1/job_spec.proto, DqnSpec.
struct DqnOptions {
  int64_t steps = 0;
  double learning_rate = 0;
  double gamma = 0;
  int64_t batch_size = 0;
  int64_t replay_capacity = 0;
  int64_t warmup_steps = 0;
  int64_t train_every = 0;
  int64_t target_every = 0;
  std::vector<int64_t> hidden;
  bool double_dqn = false;
  double epsilon_start = 0;
  double epsilon_end = 0;
  double epsilon_fraction = 0;
  double adam_epsilon = 0;
  double max_grad_norm = 0;
  double reward_clip = 0;

  static absl::StatusOr<DqnOptions> FromParams(const Params& params);
};

}  // namespace traind::worker::rl
