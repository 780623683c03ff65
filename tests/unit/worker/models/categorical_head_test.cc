// Projection of C51, against hand-computed values and what must hold for any distribution; tests/parity has the reference.
#include "worker/models/categorical_head.h"

#include "common/base/rng.h"
#include "gtest/gtest.h"

namespace traind::worker::models {
namespace {

torch::Tensor Row(std::vector<double> values) { return torch::tensor(values, torch::kFloat64).unsqueeze(0); }

torch::Tensor Project(std::vector<double> probabilities, double value, double discount, double v_max = 4) {
  const torch::Tensor support = torch::linspace(0, v_max, static_cast<int64_t>(probabilities.size()), torch::kFloat64);
  return ProjectDistribution(Row(probabilities), Row({value}).squeeze(0), Row({discount}).squeeze(0), support);
}

bool Equal(const torch::Tensor& a, std::vector<double> b) { return torch::allclose(a, Row(b), 1e-12, 1e-12); }

// Support 0 … 4; whole atoms keep their mass, an end beyond the support is the end.
TEST(ProjectDistribution, MatchesHandComputedValues) {
  EXPECT_TRUE(Equal(Project({.1, .2, .3, .2, .2}, 1, .5), {0, .2, .5, .3, 0}));
  EXPECT_TRUE(Equal(Project({.1, .2, .3, .2, .2}, 2.25, 0), {0, 0, .75, .25, 0}));
  EXPECT_TRUE(Equal(Project({.1, .2, .3, .2, .2}, 9, 0), {0, 0, 0, 0, 1}));
  EXPECT_TRUE(Equal(Project({.1, .2, .3, .2, .2}, 0, 1), {.1, .2, .3, .2, .2}));
}

// 10⁵ rows in float32, every usual support: the mass is 1, and the mean is R + γ^m E where nothing is clipped.
TEST(ProjectDistribution, KeepsMassAndMean) {
  constexpr int64_t kRows = 10'000, kAtoms = 51;
  RandomStream random(1, 0, "cases");
  const auto fill = [&](std::vector<int64_t> shape, double low, double high) {
    torch::Tensor tensor = torch::empty(shape);
    for (int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<float>()[i] = static_cast<float>(low + (high - low) * random.Uniform());
    return tensor;
  };
  for (const double edge : {1.0, 10.0, 20.0, 100.0, 300.0, 0.3, 7.0, 13.0, 50.0, 1000.0}) {
    const torch::Tensor support = torch::linspace(-edge, edge, kAtoms, torch::kFloat64).to(torch::kFloat32);
    const torch::Tensor p = torch::softmax(3 * fill({kRows, kAtoms}, -1, 1), 1);
    const torch::Tensor returns = fill({kRows}, -.3 * edge, .3 * edge), discounts = fill({kRows}, 0, .7);
    const torch::Tensor m = ProjectDistribution(p, returns, discounts, support);
    EXPECT_GE(m.min().item<float>(), 0);
    EXPECT_LE((m.sum(1) - 1).abs().max().item<float>(), 1e-6F * 4);
    const torch::Tensor z = support.to(torch::kFloat64);
    const torch::Tensor wanted = returns.to(torch::kFloat64) + discounts.to(torch::kFloat64) * p.to(torch::kFloat64).matmul(z);
    EXPECT_LE((m.to(torch::kFloat64).matmul(z) - wanted).abs().max().item<double>() / edge, 1e-5);
  }
}

// Adding a constant to all advantages changes nothing; V = 1, A = (1, 2, 3) gives 0, 1, 2.
TEST(Streams, DuelingSubtractsTheMeanOverActions) {
  NoiseLayout layout;
  const Streams streams({.features = 1, .num_actions = 3, .width = 1}, nullptr);
  torch::nn::Module owner;
  streams.Register(owner, "Q", "V");
  const torch::NoGradGuard no_grad;
  auto p = owner.named_parameters();
  p["Q.model.0.weight"].copy_(torch::tensor({{1.0F}, {2.0F}, {3.0F}}));
  p["V.model.0.weight"].fill_(1);
  p["V.model.0.bias"].zero_();
  for (const double shift : {0.0, 5.0}) {
    p["Q.model.0.bias"].fill_(shift);
    const torch::Tensor q = streams.forward(torch::ones({1, 1}), nullptr).view({3});
    EXPECT_TRUE(torch::allclose(q, torch::tensor({0.0F, 1.0F, 2.0F}), 1e-5, 1e-5)) << q;
  }
}

// Tilting a distribution by a small exponential moves its mean the farthest that its KL allows.
TEST(CategoricalHead, ComplianceIsTheInverseCurvatureOfTheLoss) {
  NoiseLayout layout;
  CategoricalHead head({.features = 4, .num_actions = 1, .width = 51}, &layout, -20, 30);
  head.to(torch::kFloat64);
  head.SetSupport(-20, 30);
  torch::manual_seed(5);
  const torch::Tensor logits = torch::randn({1, 1, 51}, torch::kFloat64);
  const HeadOutput fit{.logits = logits}, tilted{.logits = logits + 1e-4 * head.support()};
  const double moved = (head.ExpectedQ(tilted) - head.ExpectedQ(fit)).item<double>();
  const double kl = CategoricalKl(torch::softmax(logits[0], -1), tilted.logits[0]).item<double>();
  EXPECT_NEAR(moved * moved / (2 * kl) / head.Compliance(fit).item<double>(), 1, .01);
}

}  // namespace
}  // namespace traind::worker::models
