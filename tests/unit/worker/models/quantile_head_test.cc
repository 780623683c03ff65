#include "worker/models/quantile_head.h"

#include "tests/unit/worker/parity_fixture.h"
#include "worker/models/q_network.h"

namespace traind::worker::models {
namespace {

// θ = (0, 1), τ = (.25, .75), targets (.5, 2): .40625; with the sign turned round it would be .71875.
TEST(QuantileHuberLoss, MatchesTheHandComputedValue) {
  const auto row = [](double a, double b) { return torch::tensor({a, b}, torch::kFloat64).unsqueeze(0); };
  EXPECT_NEAR(QuantileHuberLoss(row(0, 1), row(.25, .75), row(.5, 2), 1).item<double>(), .40625, 1e-12);
}

struct Case {
  const char* name;
  double kappa;
};
class IqnFixtures : public ::testing::TestWithParam<Case> {};

TEST_P(IqnFixtures, MatchTheReference) {
  auto fixture = ReadParityFixture(GetParam().name);
  const torch::Tensor theta = fixture["in.theta"].clone().requires_grad_(true);
  const torch::Tensor discount = fixture["in.discount"] * (1 - fixture["in.terminated"].to(torch::kFloat64));
  const torch::Tensor targets = fixture["in.reward"].unsqueeze(1) + discount.unsqueeze(1) * fixture["in.theta_next"];
  const torch::Tensor rows = QuantileHuberLoss(theta, fixture["in.tau"], targets, GetParam().kappa);
  EXPECT_TRUE(torch::allclose(rows, fixture["out.loss_rows"], 1e-9, 1e-9));
  const torch::Tensor loss = (rows * fixture["in.weight"]).mean();
  EXPECT_NEAR(loss.item<double>(), fixture["out.loss"].item<double>(), 1e-9);
  loss.backward();
  EXPECT_TRUE(torch::allclose(theta.grad(), fixture["grad_in.theta"], 1e-8, 1e-8));
}

INSTANTIATE_TEST_SUITE_P(Files, IqnFixtures,
                         ::testing::Values(Case{"dqn_iqn_hand", 1}, Case{"dqn_iqn_kappa", .3}, Case{"dqn_iqn_n8_m5", 1}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(QuantileHead, NetworkMatchesTheReference) {
  auto fixture = ReadParityFixture("dqn_iqn_net");
  QNetwork network({.observation_size = 5,
                    .num_actions = 3,
                    .hidden = {12},
                    .head_hidden = {8},
                    .value_head = ValueHead::kIqn,
                    .dueling = false,
                    .noisy = false,
                    .cosines = 16},
                   1);
  network.to(torch::kFloat64);
  for (auto& item : network.named_parameters()) {
    // The reference keeps its trunk one level further down.
    const std::string name = item.key().starts_with("model.") ? "preprocess.model." + item.key().substr(6) : item.key();
    item.value().data().copy_(fixture["param." + name]);
  }
  const torch::Tensor x = fixture["in.x"].clone().requires_grad_(true);
  const HeadOutput output = network.forward(x, {.fractions = fixture["in.tau"]});
  EXPECT_TRUE(torch::allclose(output.quantiles, fixture["out.quantiles"], 1e-9, 1e-9));
  EXPECT_TRUE(torch::allclose(network.head().ExpectedQ(output), fixture["out.q"], 1e-9, 1e-9));
  (output.quantiles * fixture["in.cotangent"]).sum().backward();
  for (const auto& item : network.named_parameters()) {
    const std::string name = item.key().starts_with("model.") ? "preprocess.model." + item.key().substr(6) : item.key();
    EXPECT_TRUE(torch::allclose(item.value().grad(), fixture["grad." + name], 1e-8, 1e-8)) << name;
  }
  EXPECT_TRUE(torch::allclose(x.grad(), fixture["grad_in.x"], 1e-8, 1e-8));
}

// Without fractions, the K midpoints, shared by all rows: the same as asking each row for them.
TEST(QuantileHead, MidpointsAreTheDefault) {
  QNetwork network(
      {.observation_size = 5, .num_actions = 3, .hidden = {12}, .head_hidden = {8}, .value_head = ValueHead::kIqn, .midpoints = 4}, 1);
  const torch::Tensor x = torch::linspace(-1, 1, 10).view({2, 5});
  const torch::Tensor fractions = torch::tensor({.125F, .375F, .625F, .875F}).expand({2, 4});
  EXPECT_TRUE(torch::allclose(network.ExpectedQ(x, {}), network.ExpectedQ(x, {.fractions = fractions}), 1e-5, 1e-6));
}

}  // namespace
}  // namespace traind::worker::models
