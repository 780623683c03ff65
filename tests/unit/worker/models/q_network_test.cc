#include "worker/models/q_network.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "worker/models/scalar_head.h"

namespace traind::worker::models {
namespace {

TEST(QNetwork, NamesItsParametersAsTheReference) {
  QNetwork network({.observation_size = 5, .num_actions = 3, .hidden = {16, 8}}, /*seed=*/1);
  std::set<std::string> names;
  for (const auto& item : network.named_parameters()) names.insert(item.key());
  EXPECT_EQ(names, (std::set<std::string>{"model.model.0.weight", "model.model.0.bias", "model.model.2.weight", "model.model.2.bias",
                                          "Q.model.0.weight", "Q.model.0.bias"}));
}

TEST(QNetwork, IsReluLayersAndALinearHead) {
  QNetwork network({.observation_size = 5, .num_actions = 3, .hidden = {16, 8}}, /*seed=*/1);
  const auto p = network.named_parameters();
  const torch::Tensor x = torch::linspace(-1, 1, 20).view({4, 5});
  const torch::Tensor h = torch::relu(torch::linear(x, p["model.model.0.weight"], p["model.model.0.bias"]));
  const torch::Tensor f = torch::relu(torch::linear(h, p["model.model.2.weight"], p["model.model.2.bias"]));
  EXPECT_TRUE(torch::allclose(network.ExpectedQ(x), torch::linear(f, p["Q.model.0.weight"], p["Q.model.0.bias"])));
}

TEST(QNetwork, InitialWeightsDependOnSeedAndNameAlone) {
  QNetwork a({.observation_size = 5, .num_actions = 3, .hidden = {16}}, 7);
  QNetwork deeper({.observation_size = 5, .num_actions = 3, .hidden = {16, 16}}, 7);
  QNetwork other_seed({.observation_size = 5, .num_actions = 3, .hidden = {16}}, 8);
  for (const char* name : {"model.model.0.weight", "model.model.0.bias", "Q.model.0.weight", "Q.model.0.bias"}) {
    EXPECT_TRUE(torch::equal(a.named_parameters()[name], deeper.named_parameters()[name])) << name;
    EXPECT_FALSE(torch::equal(a.named_parameters()[name], other_seed.named_parameters()[name])) << name;
  }
}

TEST(QNetwork, InitialWeightsFillTheRangeOfTheirFanIn) {
  QNetwork network({.observation_size = 100, .num_actions = 3, .hidden = {64}}, 7);
  for (const char* name : {"model.model.0.weight", "model.model.0.bias"}) {
    const torch::Tensor largest = network.named_parameters()[name].abs().max();
    EXPECT_LE(largest.item<float>(), 0.1F) << name;
    EXPECT_GE(largest.item<float>(), 0.09F) << name;
  }
}

// Q(s) = (1, 2), taken a0; r = 1, γ = .5; the next action is given, its value comes from `next`.
TEST(ScalarHead, LossIsHalfTheSquaredTemporalDifference) {
  const ScalarHead head(4, 2);
  const torch::Tensor q = torch::tensor({{1.0, 2.0}, {1.0, 2.0}, {1.0, 2.0}}, torch::dtype(torch::kFloat64).requires_grad(true));
  const TdTarget target = {.actions = torch::tensor({0, 0, 1}),
                           .returns = torch::tensor({1.0, 1.0, 4.0}, torch::kFloat64),
                           .discounts = torch::tensor({0.5, 0.0, 0.5}, torch::kFloat64),
                           .next = {.values = torch::tensor({{1.0, 3.0}, {1.0, 3.0}, {1.0, 3.0}}, torch::kFloat64)},
                           .next_actions = torch::tensor({0, 1, 1})};
  const TdLoss loss = head.Loss({.values = q}, target);
  // Targets 1.5, 1 (terminated) and 5.5: differences .5, 0 and 3.5.
  EXPECT_TRUE(torch::allclose(loss.rows, torch::tensor({0.125, 0.0, 6.125}, torch::kFloat64)));
  EXPECT_TRUE(torch::equal(loss.q, torch::tensor({1.0, 1.0, 2.0}, torch::kFloat64)));
  loss.rows.sum().backward();
  EXPECT_TRUE(torch::allclose(q.grad(), torch::tensor({{-0.5, 0.0}, {0.0, 0.0}, {0.0, -3.5}}, torch::kFloat64)));
}

}  // namespace
}  // namespace traind::worker::models
