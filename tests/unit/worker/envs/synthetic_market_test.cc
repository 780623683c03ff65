#include "worker/envs/synthetic_market.h"

#include "tests/testing/status_matchers.h"
#include "tests/unit/worker/job_params.h"
#include "worker/envs/env_list.h"

namespace traind::worker::envs {
namespace {

TEST(SyntheticMarket, KnownOptimum) {
  const SyntheticOptimum at_2 = OptimumOf({.mu = 1, .stay = .9, .cost = 2}, .99);
  EXPECT_TRUE(at_2.trade);
  EXPECT_NEAR(at_2.value, 58.4, 1e-9);
  EXPECT_NEAR(at_2.mean_reward, .6, 1e-12);
  EXPECT_NEAR(OptimumOf({.mu = 1, .stay = .9, .cost = 4.5}, .99).value, 6.4, 1e-9);
  const SyntheticOptimum at_5 = OptimumOf({.mu = 1, .stay = .9, .cost = 5}, .99);
  EXPECT_FALSE(at_5.trade);
  EXPECT_EQ(at_5.value, 0);
  EXPECT_TRUE(OptimumOf({.mu = 1, .stay = .9, .cost = 4.807}, .99).trade);
  EXPECT_FALSE(OptimumOf({.mu = 1, .stay = .9, .cost = 4.809}, .99).trade);
}

// The environment pays what the formula says: following the sign for 200,000 steps, at both its costs.
TEST(SyntheticMarket, FollowingTheSignEarnsTheOptimum) {
  const Params params = SyntheticParams(2);
  ASSERT_OK_AND_ASSIGN(const auto provider, MakeEnvironments(params, OpenBelow("/")));
  ASSERT_OK_AND_ASSIGN(const auto set, provider->MakeFold(0));
  const auto environment = set->MakeEvaluation(0);
  RandomStream random(3, 0, "evaluation");
  environment->Reset(random);
  double sum = 0;
  int trades = 0;
  constexpr int kSteps = 200'000;
  for (int step = 0; step < kSteps; ++step) {
    const StepOutcome outcome = environment->Step(environment->state().row > 0 ? 2 : 0);
    ASSERT_FALSE(outcome.ended());
    sum += outcome.reward;
    trades += environment->traded() ? 1 : 0;
  }
  EXPECT_NEAR(sum / kSteps, .6, .02);
  EXPECT_NEAR(static_cast<double>(trades) / kSteps, .1, .005);
  EXPECT_NEAR(provider->known_optimum().at("optimum_mean_reward"), .6, 1e-12);
}

TEST(SyntheticMarket, TrainingLooksAtPieces) {
  const Params params = SyntheticParams(2);
  ASSERT_OK_AND_ASSIGN(const auto provider, MakeEnvironments(params, OpenBelow("/")));
  ASSERT_OK_AND_ASSIGN(const auto set, provider->MakeFold(0));
  const auto environment = set->MakeTraining();
  RandomStream random(3, 0, "environment");
  environment->Reset(random);
  int steps = 0;
  for (StepOutcome outcome; !outcome.ended(); ++steps) {
    outcome = environment->Step(1);
    ASSERT_FALSE(outcome.terminated);
  }
  EXPECT_EQ(steps, 200);
}

TEST(EnvironmentList, AnUnknownNameListsTheOthers) {
  Params params = SyntheticParams(2);
  params.Set("env", std::string("casino"), false);
  const absl::Status status = MakeEnvironments(params, OpenBelow("/")).status();
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("market, synthetic"));
}

}  // namespace
}  // namespace traind::worker::envs
