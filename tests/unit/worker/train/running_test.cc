#include "worker/train/running.h"

#include "gtest/gtest.h"

namespace traind::worker::train {
namespace {

TEST(RunningRate, FollowsTheStepsPerSecond) {
  RunningRate rate;
  EXPECT_EQ(rate.Update(absl::Seconds(100), 0), 0.0);
  EXPECT_DOUBLE_EQ(rate.Update(absl::Seconds(101), 50), 50.0);
  EXPECT_EQ(rate.Update(absl::Seconds(101), 50), 50.0) << "no time has passed";
  double last = 0;
  for (int i = 1; i <= 60; ++i) last = rate.Update(absl::Seconds(101 + i), 50 + 100 * i);
  EXPECT_NEAR(last, 100.0, 0.5);
}

TEST(RunningMean, IsNotPulledToZeroAtTheStart) {
  RunningMean mean(0.9);
  EXPECT_FALSE(mean.value().has_value());
  mean.Add(4.0);
  EXPECT_DOUBLE_EQ(*mean.value(), 4.0);
  mean.Add(2.0);
  EXPECT_NEAR(*mean.value(), (0.9 * 4.0 + 2.0) / 1.9, 1e-12);
}

}  // namespace
}  // namespace traind::worker::train
