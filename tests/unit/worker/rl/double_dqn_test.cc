// The double target against the reference.
#include "tests/unit/worker/parity_fixture.h"
#include "worker/models/scalar_head.h"
#include "worker/rl/best_action.h"

namespace traind::worker::rl {
namespace {

TEST(DoubleDqn, MatchesTheReference) {
  auto fixture = ReadParityFixture("dqn_double_dqn");
  ASSERT_FALSE(fixture.empty());
  const torch::Tensor q = fixture["in.q"].clone().requires_grad_(true);
  const torch::Tensor none_forbidden = torch::zeros({16, 5}, torch::kBool);
  models::TdTarget target{.actions = fixture["in.action"],
                          .returns = fixture["in.reward"],
                          .discounts = fixture["in.discount"] * fixture["in.terminated"].logical_not(),
                          .next = {.values = fixture["in.q_target_next"]},
                          .next_actions = BestAction(fixture["in.q_online_next"], none_forbidden)};
  EXPECT_TRUE(torch::equal(target.next_actions, fixture["out.next_action"]));
  const models::ScalarHead head({.features = 4, .num_actions = 5, .dueling = false}, nullptr, /*huber=*/0);
  const models::TdLoss loss = head.Loss({.values = q}, target);
  EXPECT_TRUE(torch::allclose(loss.rows, fixture["out.td_error"].square() / 2, 1e-9, 1e-9));
  const models::ScalarHead huber({.features = 4, .num_actions = 5, .dueling = false}, nullptr, /*huber=*/1);
  const torch::Tensor mean = (huber.Loss({.values = q}, target).rows * fixture["in.weight"]).mean();
  EXPECT_NEAR(mean.item<double>(), fixture["out.loss_huber"].item<double>(), 1e-9);
}

TEST(BestAction, LeavesForbiddenActionsOut) {
  const torch::Tensor q = torch::tensor({{1.0, 5.0, 3.0}, {-1.0, -2.0, -3.0}, {-1.0, -2.0, -3.0}});
  const torch::Tensor forbidden = torch::tensor({0, 1, 0, 0, 0, 0, 1, 1, 0}, torch::kUInt8).to(torch::kBool).view({3, 3});
  EXPECT_TRUE(torch::equal(BestAction(q, forbidden), torch::tensor({2, 0, 2}, torch::kInt64)));
}

}  // namespace
}  // namespace traind::worker::rl
