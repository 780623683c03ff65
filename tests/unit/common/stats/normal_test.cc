#include "common/stats/normal.h"

#include <cmath>

#include "gtest/gtest.h"

namespace traind::stats {
namespace {

// Published values: Abramowitz and Stegun, tables 26.1 and 26.5.
TEST(Normal, MatchesTheTables) {
  EXPECT_EQ(NormalCdf(0), .5);
  EXPECT_NEAR(NormalCdf(1), .8413447460685429, 1e-15);
  EXPECT_NEAR(NormalCdf(-1.959963984540054), .025, 1e-15);
  EXPECT_NEAR(NormalQuantile(.5), 0, 1e-15);
  EXPECT_NEAR(NormalQuantile(.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(NormalQuantile(.9), 1.2815515655446004, 1e-14);
  EXPECT_NEAR(NormalQuantile(1e-10), -6.361340902404056, 1e-13);
}

TEST(Normal, QuantileUndoesTheDistribution) {
  for (double x = -8; x <= 5; x += .25) EXPECT_NEAR(NormalQuantile(NormalCdf(x)), x, 1e-9) << x;
  for (const double p : {1e-300, 1e-20, .001, .3, .7}) EXPECT_NEAR(NormalCdf(NormalQuantile(p)) / p, 1, 1e-9) << p;
}

TEST(Normal, QuantileAtAndBeyondTheEnds) {
  EXPECT_TRUE(std::isinf(NormalQuantile(0)) && NormalQuantile(0) < 0);
  EXPECT_TRUE(std::isinf(NormalQuantile(1)) && NormalQuantile(1) > 0);
  EXPECT_TRUE(std::isnan(NormalQuantile(-.1)));
  EXPECT_TRUE(std::isnan(NormalQuantile(1.1)));
}

}  // namespace
}  // namespace traind::stats
