#include "worker/models/quantile_head.h"

#include "gtest/gtest.h"
#include "worker/models/q_network.h"

namespace traind::worker::models {
namespace {

// θ = (0, 1), τ = (.25, .75), targets (.5, 2): .40625; with the sign turned round it would be .71875.
TEST(QuantileHuberLoss, MatchesTheHandComputedValue) {
  const auto row = [](double a, double b) { return torch::tensor({a, b}, torch::kFloat64).unsqueeze(0); };
  EXPECT_NEAR(QuantileHuberLoss(row(0, 1), row(.25, .75), row(.5, 2), 1).item<double>(), .40625, 1e-12);
}

// Without fractions, the K midpoints, shared by all rows: the same as asking each row for them.
TEST(QuantileHead, MidpointsAreTheDefault) {
  QNetwork network(
      {.observation_size = 5, .num_actions = 3, .hidden = {12}, .head_hidden = {8}, .value_head = ValueHead::kIqn, .midpoints = 4}, 1);
  const torch::Tensor x = torch::linspace(-1, 1, 10).view({2, 5});
  const torch::Tensor fractions = torch::tensor({.125F, .375F, .625F, .875F}).expand({2, 4});
  EXPECT_TRUE(torch::allclose(network.ExpectedQ(x, {}), network.ExpectedQ(x, {.fractions = fractions}), 1e-5, 1e-6));
}

// Quantiles of a normal distribution, all moved by a little: with errors beyond κ, and with errors within it.
TEST(QuantileHead, ComplianceIsTheInverseCurvatureOfTheLoss) {
  constexpr int64_t kCount = 1000;
  const torch::Tensor fractions = torch::arange(kCount, torch::kFloat64).add(.5).div(kCount).unsqueeze(0);
  for (const auto& [deviation, kappa, step] : {std::tuple(20.0, .1, 2.0), std::tuple(.01, 10.0, 1.0)}) {
    NoiseLayout layout;
    const QuantileHead head({.features = 4, .num_actions = 1}, &layout, {.kappa = kappa});
    const torch::Tensor quantiles = deviation * std::sqrt(2.0) * torch::erfinv(2 * fractions - 1);
    const auto loss = [&](double by) { return QuantileHuberLoss(quantiles + by, fractions, quantiles, kappa).item<double>(); };
    const double curvature = (loss(step) + loss(-step) - 2 * loss(0)) / (step * step);
    EXPECT_NEAR(head.Compliance({.quantiles = quantiles.unsqueeze(1)}).item<double>() * curvature, 1, .05) << deviation;
  }
}

}  // namespace
}  // namespace traind::worker::models
