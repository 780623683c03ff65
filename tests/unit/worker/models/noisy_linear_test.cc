#include "worker/models/noisy_linear.h"

#include <cmath>
#include <numbers>

#include "gtest/gtest.h"

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

}  // namespace
}  // namespace traind::worker::models
