#pragma once

#include <torch/types.h>

#include <cstdint>

namespace traind::worker::rl {

// A batch of n-step transitions as the learner takes it: B rows, O observed numbers, A actions.
struct DqnBatch {
  torch::Tensor observations, next_observations;  // [B, O]
  torch::Tensor actions;                          // [B] int64
  torch::Tensor returns;                          // [B], R_m
  torch::Tensor discounts;                        // [B], γ^m, 0 where the window terminated
  torch::Tensor weights;                          // [B], of importance sampling
  torch::Tensor forbidden, next_forbidden;        // [B, A] bool, one false at least in each row

  static DqnBatch Zeros(int64_t rows, int64_t observation_size, int64_t num_actions);
  int64_t rows() const { return actions.size(0); }
  // Views of rows [begin, begin + count).
  DqnBatch Rows(int64_t begin, int64_t count) const;
};

}  // namespace traind::worker::rl
