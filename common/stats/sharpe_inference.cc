#include "common/stats/sharpe_inference.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "common/stats/normal.h"

namespace traind::stats {
namespace {

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Constant returns leave rounding noise, which must not be divided by.
constexpr double kNoVariation = 1e-12;

}  // namespace

SharpeEstimate EstimateSharpe(std::span<const double> returns) {
  SharpeEstimate estimate{.bars = static_cast<int64_t>(returns.size())};
  if (returns.size() < 2) return estimate;
  const double mean = Mean(returns);
  double second = 0, third = 0, fourth = 0;
  for (const double value : returns) {
    const double square = (value - mean) * (value - mean);
    second += square;
    third += square * (value - mean);
    fourth += square * square;
  }
  const auto bars = static_cast<double>(returns.size());
  const double deviation = std::sqrt(second / (bars - 1));
  if (deviation <= kNoVariation) return estimate;
  const double variance = second / bars;
  estimate.sharpe = mean / deviation;
  estimate.skewness = third / bars / std::pow(variance, 1.5);
  estimate.kurtosis = fourth / bars / (variance * variance);
  return estimate;
}

double ProbabilisticSharpeRatio(const SharpeEstimate& estimate, double benchmark) {
  if (estimate.bars < 2) return .5;
  const double sharpe = estimate.sharpe;
  // Of the estimate, times T−1. Since γ4 ≥ γ3² + 1 it is never below 0, but may round to it; the limit is then certainty.
  const double variance = std::max(0.0, 1 - estimate.skewness * sharpe + (estimate.kurtosis - 1) / 4 * sharpe * sharpe);
  const double excess = (sharpe - benchmark) * std::sqrt(static_cast<double>(estimate.bars - 1));
  return excess == 0 ? .5 : NormalCdf(excess / std::sqrt(variance));
}

double ExpectedMaximumSharpe(std::span<const double> trial_sharpes) {
  if (trial_sharpes.size() < 2) return 0;
  const double mean = Mean(trial_sharpes);
  double squares = 0;
  for (const double sharpe : trial_sharpes) squares += (sharpe - mean) * (sharpe - mean);
  const auto trials = static_cast<double>(trial_sharpes.size());
  constexpr double kEuler = std::numbers::egamma;
  return std::sqrt(squares / (trials - 1)) *
         ((1 - kEuler) * NormalQuantile(1 - 1 / trials) + kEuler * NormalQuantile(1 - 1 / (trials * std::numbers::e)));
}

double DeflatedSharpeRatio(const SharpeEstimate& estimate, std::span<const double> trial_sharpes) {
  return ProbabilisticSharpeRatio(estimate, ExpectedMaximumSharpe(trial_sharpes));
}

}  // namespace traind::stats
