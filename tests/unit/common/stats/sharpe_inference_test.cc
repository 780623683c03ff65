#include "common/stats/sharpe_inference.h"

#include <cmath>
#include <vector>

#include "common/stats/normal.h"
#include "gtest/gtest.h"

namespace traind::stats {
namespace {

// .03, −.01, .02, 0: mean .01, deviations .02, −.02, .01, −.01.
//   squares 4, 4, 1, 1 (·1e-4): sum 1e-3, so m2 = 2.5e-4 and the ddof-1 deviation √(1e-3/3) = .0182574
//   cubes cancel; fourth powers 16, 16, 1, 1 (·1e-8): m4 = 8.5e-8, γ4 = 8.5e-8 / 6.25e-8 = 1.36
TEST(SharpeEstimate, MatchesHandComputedMoments) {
  const SharpeEstimate estimate = EstimateSharpe(std::vector<double>{.03, -.01, .02, 0});
  EXPECT_EQ(estimate.bars, 4);
  EXPECT_NEAR(estimate.sharpe, .01 / std::sqrt(1e-3 / 3), 1e-12);
  EXPECT_NEAR(estimate.skewness, 0, 1e-12);
  EXPECT_NEAR(estimate.kurtosis, 1.36, 1e-12);
}

// .01, .01, .01, .05: mean .02, deviations −.01 three times and .03.
//   m2 = (3·1 + 9)·1e-4 / 4 = 3e-4, ddof-1 deviation √(12e-4/3) = .02, Sharpe 1
//   m3 = (−3 + 27)·1e-6 / 4 = 6e-6, γ3 = 6e-6 / (3e-4)^1.5 = 2/√3;  m4 = (3 + 81)·1e-8 / 4 = 21e-8, γ4 = 21/9
TEST(SharpeEstimate, KnowsWhichTailIsLong) {
  const SharpeEstimate estimate = EstimateSharpe(std::vector<double>{.01, .01, .01, .05});
  EXPECT_NEAR(estimate.sharpe, 1, 1e-12);
  EXPECT_NEAR(estimate.skewness, 2 / std::sqrt(3), 1e-12);
  EXPECT_NEAR(estimate.kurtosis, 21.0 / 9, 1e-12);
}

TEST(SharpeEstimate, NoVariationIsNoEvidence) {
  EXPECT_EQ(EstimateSharpe({}), SharpeEstimate{});
  EXPECT_EQ(EstimateSharpe(std::vector<double>{.1}), SharpeEstimate{.bars = 1});
  EXPECT_EQ(EstimateSharpe(std::vector<double>{.1, .1, .1}), SharpeEstimate{.bars = 3});
  for (const int64_t bars : {0, 1, 3}) EXPECT_EQ(ProbabilisticSharpeRatio({.bars = bars}, 0), .5);
}

// The series of the first test: SR √.3 = .547723, (γ4−1)/4·SR² = .09·.3 = .027, √(T−1) = √3,
// so z = .547723·1.732051 / √1.027 = .948683 / 1.013410 = .936130.
TEST(ProbabilisticSharpe, MatchesHandComputedFigures) {
  const SharpeEstimate estimate = EstimateSharpe(std::vector<double>{.03, -.01, .02, 0});
  EXPECT_NEAR(ProbabilisticSharpeRatio(estimate, 0), NormalCdf(.936130), 1e-6);
  EXPECT_EQ(ProbabilisticSharpeRatio(estimate, estimate.sharpe), .5);
}

// Normal returns: γ3 = 0 and γ4 = 3, so that the estimate's variance is (1 + SR²/2) / (T−1). With T = 401 and SR = .1 per bar
// z = .1·20 / √1.005 = 1.995019, PSR = .976980. Excess kurtosis (0 for a normal) would give 1 − SR²/4 and .977504 or, put into the
// whole formula, .977385; the annualised .1·√252 would give 1.000000.
TEST(ProbabilisticSharpe, TakesRawKurtosisAndTheSharpeOfABar) {
  EXPECT_NEAR(ProbabilisticSharpeRatio({.bars = 401, .sharpe = .1, .skewness = 0, .kurtosis = 3}, 0), .976980, 1e-6);
  // The moments of normal returns, from their quantiles, are the ones that the formula wants.
  std::vector<double> returns;
  for (int i = 0; i < 20'000; ++i) returns.push_back(.001 + .01 * NormalQuantile((i + .5) / 20'000));
  const SharpeEstimate normal = EstimateSharpe(returns);
  EXPECT_NEAR(normal.sharpe, .1, 1e-4);
  EXPECT_NEAR(normal.skewness, 0, 1e-9);
  EXPECT_NEAR(normal.kurtosis, 3, .01);
}

// A long left tail makes the same Sharpe ratio less sure: 1 + 1·.1 + 5/4·.01 = 1.1125, z = 2/√1.1125 = 1.896182.
TEST(ProbabilisticSharpe, BadTailsMakeItLessSure) {
  EXPECT_NEAR(ProbabilisticSharpeRatio({.bars = 401, .sharpe = .1, .skewness = -1, .kurtosis = 6}, 0), NormalCdf(1.896182), 1e-6);
}

// γ4 = γ3² + 1 (two values) and SR = 2/γ3: the variance of the estimate is 1 − 2 + 1 = 0.
TEST(ProbabilisticSharpe, IsCertainInTheLimit) {
  EXPECT_EQ(ProbabilisticSharpeRatio({.bars = 9, .sharpe = 1, .skewness = 2, .kurtosis = 5}, 0), 1);
  EXPECT_EQ(ProbabilisticSharpeRatio({.bars = 9, .sharpe = 1, .skewness = 2, .kurtosis = 5}, 2), 0);
}

// K = 2: Φ⁻¹(1/2) = 0 and Φ⁻¹(1 − 1/(2e)) = Φ⁻¹(.816060) = .900453, so .577216·.900453 = .519755;
// Var of .1 and .3 is .02 (ddof 1), √.02 = .141421, SR* = .073504.
TEST(DeflatedSharpe, BenchmarkMatchesHandComputedFigures) {
  EXPECT_NEAR(ExpectedMaximumSharpe(std::vector<double>{.1, .3}), .519755 * .141421, 1e-6);
  // K = 10: .422784·1.281552 + .577216·1.789242 = 1.574598; five of 0 and five of .2: Var .1/9, √ = .105409.
  EXPECT_NEAR(ExpectedMaximumSharpe(std::vector<double>{0, .2, 0, .2, 0, .2, 0, .2, 0, .2}), 1.574598 * .105409, 1e-6);
  EXPECT_EQ(ExpectedMaximumSharpe({}), 0);
}

TEST(DeflatedSharpe, OneTrialIsThePsrAgainstZero) {
  const SharpeEstimate estimate{.bars = 101, .sharpe = .2};
  EXPECT_EQ(DeflatedSharpeRatio(estimate, std::vector<double>{.2}), ProbabilisticSharpeRatio(estimate, 0));
}

// Trials .2 and 0: SR* = .519755·.141421 = .073504; z = (.2 − .073504)·10 / √1.02 = 1.264956 / 1.009950 = 1.252493.
TEST(DeflatedSharpe, FallsWithEachTrial) {
  const SharpeEstimate estimate{.bars = 101, .sharpe = .2};
  const double two = DeflatedSharpeRatio(estimate, std::vector<double>{.2, 0});
  EXPECT_NEAR(two, NormalCdf(1.252493), 1e-5);
  EXPECT_LT(two, ProbabilisticSharpeRatio(estimate, 0));
  EXPECT_LT(DeflatedSharpeRatio(estimate, std::vector<double>{.2, 0, 0, .2}), two);
}

}  // namespace
}  // namespace traind::stats
