#include "worker/models/noisy_linear.h"

#include <cmath>
#include <numbers>

#include "tests/unit/worker/parity_fixture.h"

namespace traind::worker::models {
namespace {

TEST(Noise, IsFactorisedAndOfTheRightSize) {
  NoiseLayout layout;
  layout.Add(2000, 1500);
  Noise noise(layout), other(layout);
  RandomStream random(1, 0, "noise");
  noise.Draw(random);
  other.Draw(random);
  EXPECT_FALSE(torch::equal(noise.values(), other.values())) << "two draws differ";
  const torch::Tensor weight = torch::outer(noise.out(0), noise.in(0));
  // E f(ε)² = E|ε| = √(2/π), squared for the product: 2/π. Noise drawn entry by entry would have 1.
  EXPECT_NEAR(weight.square().mean().item<double>(), 2 / std::numbers::pi, .03);
  EXPECT_NEAR(weight.mean().item<double>(), 0, .01);
  // Rank one: any two rows are parallel.
  const torch::Tensor minor = weight[0] * weight[1][0] - weight[1] * weight[0][0];
  EXPECT_LE(minor.abs().max().item<double>(), 1e-5);
}

TEST(NoisyLinear, MatchesTheReference) {
  auto fixture = ReadParityFixture("dqn_noisy_linear");
  NoiseLayout layout;
  NoisyLinear linear(6, 4, layout);
  linear.to(torch::kFloat64);
  for (auto& item : linear.named_parameters()) item.value().data().copy_(fixture["param." + item.key()]);
  Noise noise(layout, torch::kFloat64);
  noise.in(0).copy_(fixture["param.eps_p"]);
  noise.out(0).copy_(fixture["param.eps_q"]);
  const torch::Tensor x = fixture["in.x"].clone().requires_grad_(true);
  const torch::Tensor y = linear.forward(x, &noise);
  EXPECT_TRUE(torch::allclose(y, fixture["out.y"], 1e-9, 1e-9));
  EXPECT_TRUE(torch::allclose(linear.forward(x, nullptr), fixture["out.y_eval"], 1e-9, 1e-9));
  (y * fixture["in.cotangent"]).sum().backward();
  for (const auto& item : linear.named_parameters()) {
    EXPECT_TRUE(torch::allclose(item.value().grad(), fixture["grad." + item.key()], 1e-8, 1e-8)) << item.key();
  }
  EXPECT_TRUE(torch::allclose(x.grad(), fixture["grad_in.x"], 1e-8, 1e-8));
  // dL/dσ = dL/dw ⊙ ε, and one row takes a way of its own to the same numbers.
  const torch::Tensor epsilon = torch::outer(noise.out(0), noise.in(0));
  auto p = linear.named_parameters();
  EXPECT_TRUE(torch::allclose(p["sigma_W"].grad(), p["mu_W"].grad() * epsilon, 1e-9, 1e-9));
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::allclose(linear.forward(x.narrow(0, 2, 1), &noise), fixture["out.y"].narrow(0, 2, 1), 1e-9, 1e-9));
}

}  // namespace
}  // namespace traind::worker::models
