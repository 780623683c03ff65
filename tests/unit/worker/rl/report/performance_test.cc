#include "worker/rl/report/performance.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/unit/worker/rl/report/ledgers.h"
#include "worker/rl/report/drawdown.h"

namespace traind::worker::rl {
namespace {

Performance MeasureReturns(std::vector<double> returns, double bars_per_year = 252) {
  return Measure(MakeLedger("A", 0, 0, std::move(returns)).rows, bars_per_year);
}

// Returns .1, −.05, .02, −.02 at four bars a year: equity 1.1, 1.045, 1.0659, 1.044582.
TEST(Performance, ReturnsMatchHandComputedFigures) {
  const Performance p = MeasureReturns({.1, -.05, .02, -.02}, 4);
  EXPECT_EQ(p.bars, 4);
  EXPECT_NEAR(p.net_return, .044582, 1e-12);
  // Four bars are a year.
  EXPECT_NEAR(*p.cagr, .044582, 1e-12);
  // Mean .0125; deviations .0875, −.0625, .0075, −.0325, squares 76.5625, 39.0625, .5625, 10.5625 (·1e-4), sum .012675, / 3 = .065².
  EXPECT_NEAR(p.sharpe, 2 * .0125 / .065, 1e-12);
  // Downside deviation over all four bars: (.05² + .02²) / 4 = 7.25e-4.
  EXPECT_NEAR(*p.sortino, 2 * .0125 / std::sqrt(7.25e-4), 1e-12);
  // From the peak 1.1 to the end, three bars later, at .95·1.02·.98 = .94962 of it.
  EXPECT_NEAR(p.max_drawdown, .05038, 1e-12);
  EXPECT_EQ(p.max_drawdown_bars, 3);
  EXPECT_NEAR(*p.calmar, .044582 / .05038, 1e-9);
  EXPECT_NEAR(*p.hit_rate, .5, 1e-12);
  EXPECT_NEAR(*p.profit_factor, .12 / .07, 1e-12);
  EXPECT_NEAR(p.cvar_5, -.05, 1e-12);
}

// The same returns: SR per bar .0125/.065 = .192308, γ3 = .549229, γ4 = 1.867243, T = 4:
// z = .192308·√3 / √(1 − .105621 + .216811·.036982) = .333087 / .949945 = .350638, Φ = .637070.
TEST(Performance, PsrIsOfBarsNotOfYears) {
  for (const double bars_per_year : {4.0, 252.0}) {
    const Performance p = MeasureReturns({.1, -.05, .02, -.02}, bars_per_year);
    EXPECT_NEAR(p.estimate.sharpe, .192308, 1e-6);
    EXPECT_NEAR(p.psr, .637070, 1e-5);
  }
}

// |changes of weight| 1, 0, 2, 1: a mean of 1 a bar, 4 a year, of which ½ is one side. Positions 1, 1, −.5, 0.
TEST(Performance, TradesMatchHandComputedFigures) {
  envs::Ledger ledger = MakeLedger("A", 0, 0, {0, 0, 0, 0});
  const double positions[] = {1, 1, -.5, 0}, turnover[] = {1, 0, 2, 1}, costs[] = {.001, 0, .002, .001};
  for (int i = 0; i < 4; ++i) {
    ledger.rows[i].position = positions[i];
    ledger.rows[i].turnover = turnover[i];
    ledger.rows[i].cost = costs[i];
  }
  const Performance p = Measure(ledger.rows, 4);
  EXPECT_NEAR(p.turnover, 2, 1e-12);
  EXPECT_NEAR(p.cost_drag, .004, 1e-12);
  EXPECT_NEAR(p.exposure, 2.5 / 4, 1e-12);
}

// 5 % of 40 bars are two, of 41 three.
TEST(Performance, CvarIsTheMeanOfTheWorstTwentiethRoundedUp) {
  std::vector<double> returns(40, .01);
  returns[7] = -.2;
  returns[30] = -.1;
  EXPECT_NEAR(MeasureReturns(returns).cvar_5, -.15, 1e-12);
  returns.push_back(-.06);
  EXPECT_NEAR(MeasureReturns(returns).cvar_5, -.12, 1e-12);
}

TEST(Performance, NoBarsGiveNothing) {
  const Performance p = MeasureReturns({});
  EXPECT_EQ(p.bars, 0);
  EXPECT_EQ(p.net_return, 0);
  EXPECT_FALSE(p.cagr || p.sortino || p.calmar || p.hit_rate || p.profit_factor);
  EXPECT_EQ(p.psr, .5);
}

TEST(Performance, OneBarHasNoSharpe) {
  const Performance p = MeasureReturns({-.1}, 2);
  EXPECT_EQ(p.sharpe, 0);
  EXPECT_EQ(p.psr, .5);
  EXPECT_NEAR(*p.cagr, .81 - 1, 1e-12);
  EXPECT_NEAR(p.cvar_5, -.1, 1e-12);
  EXPECT_NEAR(*p.sortino, -std::sqrt(2), 1e-12);
  EXPECT_EQ(*p.hit_rate, 0);
  EXPECT_EQ(*p.profit_factor, 0);
}

TEST(Performance, ConstantReturnsHaveNoSharpe) {
  const Performance p = MeasureReturns({.1, .1, .1});
  EXPECT_EQ(p.sharpe, 0);
  EXPECT_EQ(p.psr, .5);
}

// Nothing to divide by: not defined, rather than infinite.
TEST(Performance, RatiosWithoutLossesAreNotThere) {
  const Performance p = MeasureReturns({.1, .2, 0});
  EXPECT_FALSE(p.sortino || p.profit_factor || p.calmar);
  EXPECT_EQ(p.max_drawdown, 0);
  EXPECT_EQ(p.max_drawdown_bars, 0);
  // A bar without a gain or a loss is neither a hit nor a miss.
  EXPECT_EQ(*p.hit_rate, 1);
  EXPECT_FALSE(MeasureReturns({0, 0}).hit_rate.has_value());
}

TEST(Performance, RuinIsForGood) {
  const Performance p = MeasureReturns({.5, -1.5, 2}, 3);
  EXPECT_EQ(p.net_return, -1);
  EXPECT_EQ(*p.cagr, -1);
  EXPECT_EQ(p.max_drawdown, 1);
  EXPECT_EQ(p.max_drawdown_bars, 2);
  EXPECT_EQ(*p.calmar, -1);
}

// 1.1^100,000 is more than a double holds.
TEST(Performance, AYearThatNoDoubleHoldsIsNotThere) { EXPECT_FALSE(MeasureReturns({.1}, 100'000).cagr.has_value()); }

TEST(Drawdown, ALossOnTheFirstBarCounts) {
  EXPECT_NEAR(MaxDrawdown(std::vector<double>{-.2}).depth, .2, 1e-12);
  EXPECT_EQ(MaxDrawdown(std::vector<double>{-.2}).bars, 1);
}

// Equity 1.1, .55, 1.21, 1.1979, 1.1859, 1.1741: the deepest is made good on the third bar, a longer one that is shallow does not count.
TEST(Drawdown, EndsWhereThePeakIsReachedAgain) {
  const Drawdown drawdown = MaxDrawdown(std::vector<double>{.1, -.5, 1.2, -.01, -.01, -.01});
  EXPECT_NEAR(drawdown.depth, .5, 1e-12);
  EXPECT_EQ(drawdown.bars, 2);
}

// Equity .9, 1.08, .756, .8316: the second fall, from bar 2, is deeper and lasts to the end.
TEST(Drawdown, OfSeveralTheDeepest) {
  const Drawdown drawdown = MaxDrawdown(std::vector<double>{-.1, .2, -.3, .1});
  EXPECT_NEAR(drawdown.depth, .3, 1e-12);
  EXPECT_EQ(drawdown.bars, 2);
}

}  // namespace
}  // namespace traind::worker::rl
