// How sure a Sharpe ratio is. D. H. Bailey and M. López de Prado, "The Sharpe ratio efficient frontier", Journal of Risk 15(2), 2012 (PSR),
// and "The deflated Sharpe ratio", Journal of Portfolio Management 40(5), 2014 (DSR).
//
// Every Sharpe ratio here is per bar: the formulas count bars, and an annualised one would pass for far more than it is. Kurtosis is the
// fourth standardised moment itself, 3 for normal returns, not the excess over it. Pure, thread-safe.
#pragma once

#include <cstdint>
#include <span>

namespace traind::stats {

struct SharpeEstimate {
  int64_t bars = 0;
  double sharpe = 0;    // mean / standard deviation (ddof 1) of a bar's return; 0 where returns do not vary
  double skewness = 0;  // m3 / m2^(3/2) with central moments (ddof 0)
  double kurtosis = 3;  // m4 / m2²
  bool operator==(const SharpeEstimate&) const = default;
};

// Of returns per bar. Fewer than two, or returns that do not vary, give no evidence of anything: Sharpe 0 and the moments of a normal.
SharpeEstimate EstimateSharpe(std::span<const double> returns);

// PSR(SR*): the probability that the true Sharpe ratio is above `benchmark` (per bar),
//   Φ((SR − SR*)·√(T−1) / √(1 − γ3·SR + (γ4−1)/4·SR²)).
// ½ below two bars.
double ProbabilisticSharpeRatio(const SharpeEstimate& estimate, double benchmark);

// SR*: the Sharpe ratio that the best of K trials is expected to have when none of them has any skill,
//   √Var(SR_k)·[(1−γ)·Φ⁻¹(1−1/K) + γ·Φ⁻¹(1−1/(K·e))], γ = .5772… (Euler), Var with ddof 1. 0 below two trials.
double ExpectedMaximumSharpe(std::span<const double> trial_sharpes);

// DSR: PSR(SR*). `trial_sharpes` are those of all trials, the estimate's own among them; with that one alone it is PSR(0).
double DeflatedSharpeRatio(const SharpeEstimate& estimate, std::span<const double> trial_sharpes);

}  // namespace traind::stats
