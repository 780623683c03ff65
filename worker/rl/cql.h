// The conservative term of CQL(H) (Kumar et al., "Conservative Q-learning for offline reinforcement learning", NeurIPS 2020, eq. 4).
#pragma once

#include <torch/types.h>

#include <limits>

#include "worker/models/q_head.h"

namespace traind::worker::rl {

// log Σ_a exp Q(s, a) - Q(s, a_data) of each row, over the allowed actions: q [B, A], actions [B] int64, forbidden [B, A] bool → [B].
inline torch::Tensor CqlPenalty(const torch::Tensor& q, const torch::Tensor& actions, const torch::Tensor& forbidden) {
  return torch::logsumexp(q.masked_fill(forbidden, -std::numeric_limits<double>::infinity()), 1) - models::OfAction(q, actions);
}

}  // namespace traind::worker::rl
