#include "worker/rl/best_action.h"

#include "gtest/gtest.h"

namespace traind::worker::rl {
namespace {

TEST(BestAction, LeavesForbiddenActionsOut) {
  const torch::Tensor q = torch::tensor({{1.0, 5.0, 3.0}, {-1.0, -2.0, -3.0}, {-1.0, -2.0, -3.0}});
  const torch::Tensor forbidden = torch::tensor({0, 1, 0, 0, 0, 0, 1, 1, 0}, torch::kUInt8).to(torch::kBool).view({3, 3});
  EXPECT_TRUE(torch::equal(BestAction(q, forbidden), torch::tensor({2, 0, 2}, torch::kInt64)));
}

}  // namespace
}  // namespace traind::worker::rl
