#pragma once

#include <torch/types.h>

#include <limits>

namespace traind::worker::rl {

// The allowed action of the highest value: q [B, A], forbidden [B, A] bool with one false at least in each row → [B] int64.
inline torch::Tensor BestAction(const torch::Tensor& q, const torch::Tensor& forbidden) {
  return q.masked_fill(forbidden, -std::numeric_limits<double>::infinity()).argmax(1);
}

}  // namespace traind::worker::rl
