// Importance sampling of prioritised replay (Schaul et al., "Prioritized experience replay", ICLR 2016, section 3.4).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace traind::worker::rl {

// β at a step: linearly from `start` to 1 over `steps`.
inline double AnnealedBeta(double start, int64_t step, int64_t steps) {
  return std::min(1.0, start + (1 - start) * static_cast<double>(step) / static_cast<double>(steps));
}

// w_i = (N·P(i))^-β / max_j w_j = (P_min / P(i))^β, since N leaves the quotient and the largest weight is that of the smallest
// probability: `smallest`, of the batch or of the whole replay.
inline void ImportanceWeights(std::span<const double> probabilities, double smallest, double beta, std::span<double> weights) {
  for (size_t i = 0; i < probabilities.size(); ++i) weights[i] = std::pow(smallest / probabilities[i], beta);
}

}  // namespace traind::worker::rl
