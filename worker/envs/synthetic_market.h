// A market with a known optimum: a sign s ∈ {-1, +1} is seen, the next return is s·μ + σ·ε, then the sign stays with probability q.
// Positions are -1, 0, 1; a change costs c per unit. From flat, following the sign is worth V = μ/(1-γ) - c - 2cγ(1-q)/(1-γ); if V > 0 that
// is optimal, else never to trade.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "worker/envs/environment_set.h"

namespace traind::worker::envs {

struct SyntheticOptions {
  double mu = 1;
  double sigma = 1;
  double stay = 0.9;
  double cost = 2;
};

struct SyntheticOptimum {
  bool trade = false;
  double value = 0;        // from flat
  double mean_reward = 0;  // per step, in the long run
};
SyntheticOptimum OptimumOf(const SyntheticOptions& options, double gamma);

absl::StatusOr<std::unique_ptr<EnvironmentProvider>> MakeSyntheticMarket(const Params& params, const data::OpenFile& open);

}  // namespace traind::worker::envs
