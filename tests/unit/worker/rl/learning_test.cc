// Whether the agent learns what is known to be best on the synthetic market: μ = 1, σ = 1, q = .9, γ = .99. At c = 2 the optimum follows the
// sign, mean reward .60; at c = 6 it never trades.
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "tests/testing/status_matchers.h"
#include "tests/unit/worker/job_params.h"
#include "tests/unit/worker/rl/recording_context.h"
#include "worker/rl/dqn_task.h"

namespace traind::worker::rl {
namespace {

struct Learned {
  double mean_reward = 0;
  double trade_share = 0;
  double optimum = 0;
};

Learned Learn(double cost, int64_t seed) {
  Params params = SyntheticParams(cost);
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
  const Learned learned = Learn(2, 1);
  EXPECT_NEAR(learned.optimum, .6, 1e-9);
  EXPECT_GE(learned.mean_reward, .9 * learned.optimum);
  RecordProperty("mean_reward", std::to_string(learned.mean_reward));
}

TEST(Learning, StaysOutWhereTradingCostsMore) {
  const Learned learned = Learn(6, 1);
  EXPECT_LE(learned.trade_share, .01);
  EXPECT_EQ(learned.optimum, 0);
}

}  // namespace
}  // namespace traind::worker::rl
