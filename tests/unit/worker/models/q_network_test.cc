#include "worker/models/q_network.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "worker/models/scalar_head.h"

namespace traind::worker::models {
namespace {

// Plain DQN: linear layers and a number per action.
QNetworkShape Plain(std::vector<int64_t> hidden) {
  return {.observation_size = 5,
          .num_actions = 3,
          .hidden = std::move(hidden),
          .value_head = ValueHead::kScalar,
          .dueling = false,
          .noisy = false};
}

std::set<std::string> Names(const QNetworkShape& shape) {
  std::set<std::string> names;
  const QNetwork network(shape, 1);
  for (const auto& item : network.named_parameters()) names.insert(item.key());
  return names;
}

TEST(QNetwork, NamesItsParametersAsTheReference) {
  EXPECT_EQ(Names(Plain({16, 8})), (std::set<std::string>{"model.model.0.weight", "model.model.0.bias", "model.model.2.weight",
                                                          "model.model.2.bias", "Q.model.0.weight", "Q.model.0.bias"}));
}

// Everything on: no stream or embedding is missing, each noisy layer has its four tensors.
TEST(QNetwork, HasAllPartsOfTheDefault) {
  const std::set<std::string> names = Names({.observation_size = 5, .num_actions = 3, .hidden = {16}, .head_hidden = {8}});
  for (const char* stream : {"Q", "V", "last", "last_V"}) {
    for (const char* layer : {"0", "2"}) {
      for (const char* tensor : {"mu_W", "sigma_W", "mu_bias", "sigma_bias"}) {
        EXPECT_TRUE(names.contains(std::string(stream) + ".model." + layer + "." + tensor)) << stream << layer << tensor;
      }
    }
  }
  EXPECT_TRUE(names.contains("embed_model.net.0.weight"));
  EXPECT_EQ(names.size(), 2u + 2u + 4u * 2u * 4u);
}

TEST(QNetwork, IsReluLayersAndALinearHead) {
  QNetwork network(Plain({16, 8}), /*seed=*/1);
  const auto p = network.named_parameters();
  const torch::Tensor x = torch::linspace(-1, 1, 20).view({4, 5});
  const torch::Tensor h = torch::relu(torch::linear(x, p["model.model.0.weight"], p["model.model.0.bias"]));
  const torch::Tensor f = torch::relu(torch::linear(h, p["model.model.2.weight"], p["model.model.2.bias"]));
  EXPECT_TRUE(torch::allclose(network.ExpectedQ(x, {}), torch::linear(f, p["Q.model.0.weight"], p["Q.model.0.bias"])));
}

TEST(QNetwork, InitialWeightsDependOnSeedAndNameAlone) {
  QNetwork a(Plain({16}), 7), deeper(Plain({16, 16}), 7), other_seed(Plain({16}), 8);
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
  const ScalarHead head({.features = 4, .num_actions = 2, .dueling = false}, nullptr, /*huber=*/0);
  const torch::Tensor q = torch::tensor({{1.0, 2.0}, {1.0, 2.0}, {1.0, 2.0}}, torch::dtype(torch::kFloat64).requires_grad(true));
  const TdTarget target = {.actions = torch::tensor({0, 0, 1}),
                           .returns = torch::tensor({1.0, 1.0, 4.0}, torch::kFloat64),
                           .discounts = torch::tensor({0.5, 0.0, 0.5}, torch::kFloat64),
                           .next = {.values = torch::tensor({{1.0, 3.0}, {1.0, 3.0}, {1.0, 3.0}}, torch::kFloat64)},
                           .next_actions = torch::tensor({0, 1, 1})};
  const TdLoss loss = head.Loss({.values = q}, target);
  // Targets 1.5, 1 (terminated) and 5.5: differences .5, 0 and 3.5.
  EXPECT_TRUE(torch::allclose(loss.rows, torch::tensor({0.125, 0.0, 6.125}, torch::kFloat64)));
  EXPECT_TRUE(torch::allclose(loss.priorities, torch::tensor({0.5, 0.0, 3.5}, torch::kFloat64)));
  loss.rows.sum().backward();
  EXPECT_TRUE(torch::allclose(q.grad(), torch::tensor({{-0.5, 0.0}, {0.0, 0.0}, {0.0, -3.5}}, torch::kFloat64)));
}

}  // namespace
}  // namespace traind::worker::models
