// Trading the test range of a fold: nothing of the future is seen, and all money is accounted for.
#include <numeric>
#include <set>

#include "tests/testing/status_matchers.h"
#include "tests/unit/worker/envs/market_file.h"

namespace traind::worker::envs {
namespace {

constexpr int64_t kTrain = 100, kPurge = 5, kTest = 60;
constexpr int64_t kRows = kTrain + kPurge + kTest;
// The row of the data whose close the n-th decision of a pass is made on: the bar before the test range, and on.
int64_t RowOfDecision(int64_t n) { return kTrain + kPurge - 1 + n; }

int Cycle(int64_t step) { return static_cast<int>(step / 3 % 3); }
double Total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(MarketEnvironment, TradesEveryBarOfTheTestRange) {
  const Market market(RandomWalk(kRows, .01, 1), OneFold(kTrain, kTest));
  ASSERT_OK(market.status);
  const Walk walk = WalkThrough(*market.fold, Cycle);
  EXPECT_EQ(walk.ledger.rows.size(), size_t{kTest});
  EXPECT_EQ(absl::FromUnixNanos(walk.ledger.rows.front().time_ns),
            absl::FromCivil(absl::CivilDay(2020, 1, 1) + kTrain + kPurge, absl::UTCTimeZone()));
  EXPECT_TRUE(walk.last.truncated);
  EXPECT_FALSE(walk.last.terminated);
}

// Poison: whatever comes after row t, what is seen and done up to t stays bit for bit.
TEST(MarketEnvironment, NothingOfTheFutureIsSeen) {
  const std::vector<TestBar> bars = RandomWalk(kRows, .01, 2);
  const Params params = OneFold(kTrain, kTest);
  const Market clean(bars, params);
  ASSERT_OK(clean.status);
  const auto never_flat = [](int64_t step) { return Cycle(step) == 1 ? 2 : Cycle(step); };
  const Walk before = WalkThrough(*clean.fold, never_flat);
  for (const int64_t decision : {int64_t{0}, int64_t{7}, int64_t{31}, kTest - 1}) {
    std::vector<TestBar> poisoned = bars;
    for (int64_t row = RowOfDecision(decision) + 1; row < kRows; ++row) {
      poisoned[row].open *= 3;
      poisoned[row].close *= row % 2 == 0 ? 5 : .2;
    }
    Params tough = params;
    tough.Set("market.min_equity", 1e-9, false);
    const Market market(poisoned, tough);
    ASSERT_OK(market.status);
    const Walk after = WalkThrough(*market.fold, never_flat);
    for (int64_t n = 0; n <= decision; ++n) {
      ASSERT_EQ(after.observations[n], before.observations[n]) << "decision " << n << ", poison after " << decision;
      if (n < decision) {
        ASSERT_EQ(after.ledger.rows[n], before.ledger.rows[n]);
      }
    }
    // The poison was seen once it was past: the test can fail.
    if (decision + 1 < kTest) {
      EXPECT_NE(after.observations[decision + 1], before.observations[decision + 1]);
    }
    EXPECT_NE(after.ledger.rows[decision].net_return, before.ledger.rows[decision].net_return);
    EXPECT_EQ(market.fold->normaliser_json(), clean.fold->normaliser_json());
    EXPECT_EQ(market.fold->reward_scale(), clean.fold->reward_scale());
  }
}

// Normalisers know the training range alone: even the purged rows between it and the test do not touch them.
TEST(MarketEnvironment, NormalisersKnowTheTrainingRangeOnly) {
  std::vector<TestBar> bars = RandomWalk(kRows, .01, 3);
  const Market clean(bars, OneFold(kTrain, kTest));
  for (int64_t row = kTrain; row < kTrain + kPurge; ++row) bars[row].close *= 1.5;
  const Market purged(bars, OneFold(kTrain, kTest));
  EXPECT_EQ(purged.fold->normaliser_json(), clean.fold->normaliser_json());
  bars[kTrain - 1].close *= 1.5;
  const Market trained(bars, OneFold(kTrain, kTest));
  EXPECT_NE(trained.fold->normaliser_json(), clean.fold->normaliser_json());
}

// Filled at the next open, not at the close that was seen.
TEST(MarketEnvironment, FillsAtTheNextOpen) {
  const std::vector<TestBar> bars = RandomWalk(kRows, .01, 4);
  const Market market(bars, OneFold(kTrain, kTest));
  const Walk walk = WalkThrough(*market.fold, [](int64_t) { return 2; });
  const TestBar& first = bars[RowOfDecision(0) + 1];
  EXPECT_DOUBLE_EQ(walk.ledger.rows[0].fill_price, first.open);
  EXPECT_NEAR(walk.rewards[0], std::log((1 - 5e-4) * first.close / first.open), 1e-12);
  const TestBar& second = bars[RowOfDecision(1) + 1];
  EXPECT_EQ(walk.ledger.rows[1].fill_price, 0);
  EXPECT_NEAR(walk.rewards[1], std::log(second.close / first.close), 1e-12);
}

TEST(MarketEnvironment, RewardsSumToTheGrowthOfEquity) {
  std::vector<TestBar> bars = RandomWalk(kRows, .02, 5);
  bars[RowOfDecision(20)].days_after = 30;  // a gap inside the test range
  Params params = OneFold(kTrain, kTest);
  params.Set("market.positions", std::vector<double>{-1, -.5, 0, .5, 1}, false);
  params.Set("market.borrow_bps_per_year", 300.0, false);
  params.Set("market.slippage", .2, false);
  params.Set("market.half_spread_bps", 2.0, false);
  params.Set("data.policy.gap", std::string("split"), false);
  params.Set("data.features", std::vector<std::string>{"return"}, false);
  const Market market(bars, params);
  ASSERT_OK(market.status);
  const Walk walk = WalkThrough(*market.fold, [](int64_t step) { return static_cast<int>(step * 7 % 5); });
  EXPECT_NEAR(Total(walk.rewards), std::log(walk.ledger.rows.back().equity), 1e-12);
  double product = 1;
  for (const LedgerRow& row : walk.ledger.rows) {
    product *= 1 + row.net_return;
    EXPECT_NEAR(row.equity, product, 1e-12);
  }
}

// A fold's book starts and ends flat, so that held positions pay for both ways.
TEST(MarketEnvironment, HoldingPaysTheWayInAndOut) {
  const Market market(RandomWalk(kRows, .01, 5), OneFold(kTrain, kTest));
  ASSERT_OK(market.status);
  const Walk walk = WalkThrough(*market.fold, [](int64_t) { return 2; });
  EXPECT_NEAR(walk.ledger.rows.front().turnover, 1, 1e-9);
  EXPECT_NEAR(walk.ledger.rows.back().turnover, 1, 1e-9);
  EXPECT_NEAR(walk.ledger.rows.back().cost, 5e-4, 1e-12);
  EXPECT_NEAR(Total(walk.rewards), std::log(walk.ledger.rows.back().equity), 1e-12);
}

// A gap that splits: the position is given up before it, and no window reaches across.
TEST(MarketEnvironment, NothingCrossesAGapThatSplits) {
  std::vector<TestBar> bars = RandomWalk(kRows, .01, 6);
  const int64_t last_before = RowOfDecision(20);
  bars[last_before].days_after = 30;
  for (int64_t row = 0; row < kRows; ++row) bars[row].extra = row <= last_before ? -1 : 1;
  Params params = OneFold(kTrain, kTest);
  params.Set("data.policy.gap", std::string("split"), false);
  params.Set("data.features", std::vector<std::string>{"return"}, false);
  params.Set("data.feature_columns", std::vector<std::string>{"extra"}, false);
  const Market market(bars, params);
  ASSERT_OK(market.status);
  const Walk walk = WalkThrough(*market.fold, [](int64_t) { return 2; });
  std::set<int64_t> traded;
  for (const LedgerRow& row : walk.ledger.rows) traded.insert(row.time_ns);
  // 20 bars before the gap; after it the first bars only fill the window.
  const size_t lost = kTest - walk.ledger.rows.size();
  EXPECT_GE(lost, 10u);
  EXPECT_LE(lost, 11u);
  EXPECT_NEAR(walk.ledger.rows[19].turnover, 1, 1e-9);  // the way out
  EXPECT_NEAR(walk.ledger.rows[20].turnover, 1, 1e-9);  // and in again
  for (const std::vector<float>& observation : walk.observations) {
    // Every second number of the window is the extra column: one sign throughout.
    for (size_t i = 3; i + 4 < observation.size(); i += 2) EXPECT_EQ(observation[i], observation[1]);
  }
}

TEST(MarketEnvironment, AMarkedGapIsCrossed) {
  std::vector<TestBar> bars = RandomWalk(kRows, .01, 6);
  bars[RowOfDecision(20)].days_after = 30;
  const Market market(bars, OneFold(kTrain, kTest));
  ASSERT_OK(market.status);
  EXPECT_EQ(WalkThrough(*market.fold, Cycle).ledger.rows.size(), size_t{kTest});
}

TEST(MarketEnvironment, HigherCostsNeverPay) {
  const std::vector<TestBar> bars = RandomWalk(kRows, .01, 7);
  double last = 1e9;
  for (const double bps : {0.0, 1.0, 5.0, 50.0}) {
    Params params = OneFold(kTrain, kTest);
    params.Set("market.cost_bps", bps, false);
    const Market market(bars, params);
    const double equity = WalkThrough(*market.fold, Cycle).ledger.rows.back().equity;
    EXPECT_LT(equity, last) << bps;
    last = equity;
  }
}

// On a random walk any fixed policy earns minus what it pays.
TEST(MarketEnvironment, ARandomWalkPaysNobody) {
  constexpr int64_t kLong = 4000;
  constexpr double kSigma = 1e-3;  // small, so that half its square is far below the costs
  Params params = OneFold(kTrain, kLong);
  params.Set("market.cost_bps", 10.0, false);
  params.Set("market.min_equity", 1e-6, false);
  const Market market(RandomWalk(kTrain + kPurge + kLong, kSigma, 8), params);
  ASSERT_OK(market.status);
  const Walk walk = WalkThrough(*market.fold, [](int64_t step) { return step % 2 == 0 ? 0 : 2; });
  const double standard_error = kSigma / std::sqrt(double{kLong});
  EXPECT_NEAR(Total(walk.rewards) / kLong, -2 * 1e-3, 3 * standard_error);
}

TEST(MarketEnvironment, RuinTerminates) {
  std::vector<TestBar> bars = RandomWalk(kRows, .01, 9);
  for (int64_t row = RowOfDecision(10) + 1; row < kRows; ++row) bars[row].close *= 2.2, bars[row].open *= 2.2;
  const Market market(bars, OneFold(kTrain, kTest));
  const Walk walk = WalkThrough(*market.fold, [](int64_t) { return 0; });
  EXPECT_TRUE(walk.last.terminated);
  EXPECT_FALSE(walk.last.truncated);
  EXPECT_EQ(walk.rewards.size(), 11u);
  EXPECT_LT(walk.ledger.rows[10].equity, .1);
  // The books go on to the end of the range, flat: a ruined instrument keeps its share of the portfolio.
  ASSERT_EQ(walk.ledger.rows.size(), size_t{kTest});
  for (size_t i = 11; i < kTest; ++i) {
    EXPECT_EQ(walk.ledger.rows[i].equity, walk.ledger.rows[10].equity);
    EXPECT_EQ(walk.ledger.rows[i].position, 0);
    EXPECT_GT(walk.ledger.rows[i].time_ns, walk.ledger.rows[i - 1].time_ns);
  }
}

TEST(MarketEnvironment, LimitsMaskActions) {
  const std::vector<TestBar> bars = RandomWalk(kRows, .01, 10);
  const auto mask = [&](double max_position, bool long_only) {
    Params params = OneFold(kTrain, kTest);
    params.Set("market.positions", std::vector<double>{-1, -.5, 0, .5, 1}, false);
    params.Set("market.max_position", max_position, false);
    params.Set("market.long_only", long_only, false);
    const Market market(bars, params);
    std::vector<uint8_t> allowed(5);
    market.fold->observations().ActionMask({}, allowed);
    return allowed;
  };
  EXPECT_EQ(mask(1, false), (std::vector<uint8_t>{1, 1, 1, 1, 1}));
  EXPECT_EQ(mask(.5, false), (std::vector<uint8_t>{0, 1, 1, 1, 0}));
  EXPECT_EQ(mask(1, true), (std::vector<uint8_t>{0, 0, 1, 1, 1}));
}

TEST(MarketEnvironment, NoPositionWithinTheLimitsIsAFieldError) {
  Params params = OneFold(kTrain, kTest);
  params.Set("market.positions", std::vector<double>{-1, 1}, false);
  params.Set("market.max_position", .5, false);
  const Market market(RandomWalk(kRows, .01, 10), params);
  EXPECT_EQ(market.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(market.status.message()), ::testing::HasSubstr("market.positions"));
}

// Training episodes start anywhere in the training range and end, truncated, within it.
TEST(MarketEnvironment, TrainingStaysInItsRange) {
  Params params = OneFold(kTrain, kTest);
  params.Set("market.episode_length", int64_t{20}, false);
  params.Set("data.features", std::vector<std::string>{"return"}, false);
  const Market market(RandomWalk(kRows, .01, 11), params);
  ASSERT_OK(market.status);
  const auto environment = market.fold->MakeTraining();
  RandomStream random(1, 0, "environment");
  std::set<int64_t> starts;
  for (int episode = 0; episode < 500; ++episode) {
    environment->Reset(random);
    starts.insert(environment->state().row);
    int64_t steps = 0;
    for (StepOutcome outcome; !outcome.ended(); ++steps) {
      outcome = environment->Step(static_cast<int>(random.UniformInt(3)));
      ASSERT_FALSE(outcome.terminated);
      ASSERT_LT(environment->state().row, kTrain);
    }
    ASSERT_LE(steps, 20);
  }
  EXPECT_EQ(*starts.rbegin(), kTrain - 2);
  EXPECT_GE(starts.size(), 80u);
}

}  // namespace
}  // namespace traind::worker::envs
