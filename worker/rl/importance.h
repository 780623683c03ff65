// Priorities and importance sampling of prioritised replay (Schaul et al., "Prioritized experience replay", ICLR 2016, sections 3.3
// and 3.4).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace traind::worker::rl {

// p = |δ| + ε, of a window whose prediction was off by `surprise` ≥ 0; one that is not finite counts as the `highest` seen.
inline double PriorityOf(double surprise, double epsilon, double highest) {
  return (std::isfinite(surprise) ? std::max(0.0, surprise) : highest) + epsilon;
}

// p^α, what a window is drawn in proportion to; α = 0 draws uniformly.
inline double DrawWeight(double priority, double alpha) { return std::pow(priority, alpha); }

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
