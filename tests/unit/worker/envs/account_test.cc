// The books of one position, against figures worked out by hand.
#include "worker/envs/account.h"

#include <cmath>

#include "tests/testing/status_matchers.h"

namespace traind::worker::envs {
namespace {

TEST(Account, ABarByHand) {
  Account account({.per_trade = .001});
  // Flat until the open at 101, long from there to the close at 102.
  const BarResult bar = account.Advance(1, {.previous_close = 100, .fill = 101, .close = 102});
  EXPECT_TRUE(bar.traded);
  EXPECT_DOUBLE_EQ(bar.turnover, 1);
  EXPECT_DOUBLE_EQ(bar.cost, .001);
  EXPECT_NEAR(bar.log_return, std::log(.999 * 102 / 101), 1e-15);
  EXPECT_NEAR(account.equity(), .999 * 102 / 101, 1e-15);
}

// Half invested: the quantity stays, so a rise makes the weight grow and no trade is made while the target stays.
TEST(Account, WeightsDrift) {
  Account account({});
  account.Advance(.5, {100, 100, 100});
  const BarResult bar = account.Advance(.5, {100, 100, 110});
  EXPECT_FALSE(bar.traded);
  EXPECT_NEAR(account.equity(), 1.05, 1e-15);
  EXPECT_NEAR(account.weight(), .55 / 1.05, 1e-15);
  EXPECT_EQ(account.target(), .5);
  EXPECT_EQ(account.bars_held(), 2);
}

TEST(Account, TurningOverCostsTwice) {
  Account account({.per_trade = .01});
  account.Advance(1, {100, 100, 100});
  const BarResult bar = account.Advance(-1, {100, 100, 100});
  EXPECT_DOUBLE_EQ(bar.turnover, 2);
  EXPECT_DOUBLE_EQ(bar.cost, .02);
  EXPECT_NEAR(account.equity(), .99 * .98, 1e-15);
}

TEST(Account, SlippageGrowsWithTheRootOfTheTrade) {
  Account account({.slippage = .5});
  const BarResult bar = account.Advance(1, {.previous_close = 100, .fill = 100, .close = 100, .volatility = .02});
  EXPECT_NEAR(bar.cost, .5 * .02, 1e-15);
  Account small({.slippage = .5});
  EXPECT_NEAR(small.Advance(.25, {100, 100, 100, .02}).cost, .25 * .5 * .02 * .5, 1e-15);
}

TEST(Account, OnlyShortsBorrow) {
  Account longs({.borrow_per_bar = .001}), shorts({.borrow_per_bar = .001});
  EXPECT_EQ(longs.Advance(1, {100, 100, 100}).cost, 0);
  EXPECT_DOUBLE_EQ(shorts.Advance(-1, {100, 100, 100}).cost, .001);
  // The same quantity, of an equity that the first charge has made smaller.
  EXPECT_DOUBLE_EQ(shorts.Advance(-1, {100, 100, 100}).cost, .001 / .999);
}

// A bar with returns and position negated earns the same.
TEST(Account, LongAndShortMirrorEachOther) {
  for (const double move : {-.03, .004, .05}) {
    Account longs({.per_trade = .002, .slippage = .3}), shorts({.per_trade = .002, .slippage = .3});
    const BarResult up = longs.Advance(1, {100, 100, 100 * (1 + move), .01});
    const BarResult down = shorts.Advance(-1, {100, 100, 100 * (1 - move), .01});
    EXPECT_NEAR(up.log_return, down.log_return, 1e-12);
    EXPECT_EQ(up.cost, down.cost);
  }
}

TEST(Account, LosesNoMoreThanThereIs) {
  Account account({});
  const BarResult bar = account.Advance(-1, {100, 100, 300});
  EXPECT_TRUE(std::isfinite(bar.log_return));
  EXPECT_GT(account.equity(), 0);
  EXPECT_LT(account.equity(), 1e-5);
}

}  // namespace
}  // namespace traind::worker::envs
