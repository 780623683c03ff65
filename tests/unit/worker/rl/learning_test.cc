// Whether the agent learns what is known to be best on the synthetic market: μ = 1, σ = 1, q = .9, γ = .99. At c = 2 the optimum follows
// the sign, mean reward .60; at c = 6 it never trades.
#include <cmath>

#include "absl/strings/numbers.h"
#include "nlohmann/json.hpp"
#include "tests/testing/status_matchers.h"
#include "tests/unit/worker/envs/market_file.h"
#include "tests/unit/worker/rl/recording_context.h"
#include "worker/rl/dqn_task.h"

namespace traind::worker::rl {
namespace {

struct Learned {
  double mean_reward = 0;
  double trade_share = 0;
  double optimum = 0;
};

Learned Learn(Params params, int64_t seed) {
  params.Set("seed", seed, false);
  RecordingContext context(params);
  auto task = MakeDqnTask(params);
  EXPECT_OK(task);
  EXPECT_OK((*task)->Run(context));
  Learned learned;
  EXPECT_TRUE(absl::SimpleAtod(context.results["mean_reward"], &learned.mean_reward));
  EXPECT_TRUE(absl::SimpleAtod(context.results["trade_share"], &learned.trade_share));
  EXPECT_TRUE(absl::SimpleAtod(context.results["optimum_mean_reward"], &learned.optimum));
  return learned;
}

TEST(Learning, FollowsTheSignWhereThatPays) {
  const Learned learned = Learn(SyntheticParams(2), 1);
  EXPECT_NEAR(learned.optimum, .6, 1e-9);
  EXPECT_GE(learned.mean_reward, .9 * learned.optimum);
  RecordProperty("mean_reward", std::to_string(learned.mean_reward));
}

TEST(Learning, StaysOutWhereTradingCostsMore) {
  const Learned learned = Learn(SyntheticParams(6), 1);
  EXPECT_LE(learned.trade_share, .01);
  EXPECT_EQ(learned.optimum, 0);
}

// Shown tomorrow's return, at no cost, the agent must take nine tenths of what hindsight could: an agent that cannot use a leak
// could not use a signal.
TEST(Learning, TakesWhatALeakGives) {
  constexpr int64_t kTrain = 1500, kTest = 300;
  std::vector<envs::TestBar> bars = envs::RandomWalk(kTrain + 5 + kTest, .01, 12);
  double best = 0;
  for (size_t t = 0; t + 1 < bars.size(); ++t) {
    bars[t + 1].open = bars[t].close;  // no move over night: what is leaked can be earned
    bars[t].extra = std::log(bars[t + 1].close / bars[t].close);
    if (t >= kTrain + 4) best += std::abs(bars[t].extra);
  }
  Params params = envs::OneFold(kTrain, kTest);
  params.Set("data.features", std::vector<std::string>{"return"}, false);
  params.Set("data.feature_columns", std::vector<std::string>{"extra"}, false);
  params.Set("data.window", int64_t{1}, false);
  params.Set("market.cost_bps", 0.0, false);
  params.Set("dqn.gamma", 0.5, false);
  params.Set("dqn.steps", int64_t{20'000}, false);
  RecordingContext context(params);
  testing::TempDir data;
  data.Write("market.csv", envs::ToCsv(bars));
  context.data_root = data.path().string();
  ASSERT_OK_AND_ASSIGN(const auto task, MakeDqnTask(params));
  ASSERT_OK(task->Run(context));
  const auto report = nlohmann::json::parse(testing::ReadFile(context.artifacts_folder() + "/report.json"));
  const double growth = std::log1p(report["stitched"]["equal_weight"]["policy"]["net_return"].get<double>());
  EXPECT_GE(growth, .9 * best) << report["stitched"];
}

}  // namespace
}  // namespace traind::worker::rl
