// The parameters of a DQN job.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/params.h"
#include "worker/models/q_network.h"
#include "worker/train/optimizer.h"

namespace traind::worker::rl {

// Atoms of the categorical head, in scaled rewards.
struct ValueSupport {
  double v_min = 0;
  double v_max = 0;
};

// Meaning, range and default of each: proto/traind/v1/job_spec.proto, DqnSpec.
struct DqnOptions {
  int64_t steps = 0;
  double gamma = 0;
  int64_t batch_size = 0;
  int64_t replay_capacity = 0;
  int64_t warmup_steps = 0;
  int64_t train_every = 0;
  int64_t target_every = 0;
  std::optional<double> target_tau;
  bool double_dqn = false;
  int64_t n_step = 1;
  bool cut_exploratory = true;
  bool prioritized = false;
  double priority_exponent = 0;
  double priority_beta = 0;
  int64_t sample_lag = 0;
  double epsilon_start = 0;
  double epsilon_end = 0;
  double epsilon_fraction = 0;
  train::OptimizerOptions optimizer;
  double max_grad_norm = 0;
  double clip_norm_order = 2;  // infinity: the largest entry
  double reward_clip = 0;
  double cql_alpha = 0;
  int64_t quantiles = 0;
  int64_t target_quantiles = 0;
  // Without it, taken from the returns of the warm-up.
  std::optional<ValueSupport> support;
  // Sizes and parts of the network; observation_size and num_actions are the environment's.
  models::QNetworkShape network;

  static absl::StatusOr<DqnOptions> FromParams(const Params& params);
};

}  // namespace traind::worker::rl
