#include <limits>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "worker/train/adam_optimizer.h"
#include "worker/train/flat_parameters.h"
#include "worker/train/gradient_clip.h"

namespace traind::worker::train {
namespace {

torch::nn::Sequential MakeModule(torch::Dtype dtype) {
  torch::manual_seed(3);
  torch::nn::Sequential module(torch::nn::Linear(5, 7), torch::nn::Tanh(), torch::nn::Linear(7, 2));
  module->to(dtype);
  return module;
}

torch::Tensor Zero() { return torch::zeros({}, torch::kFloat32); }

TEST(FlatParameters, ParametersAndGradientsAreViewsOfOneBuffer) {
  torch::nn::Sequential module = MakeModule(torch::kFloat64);
  const torch::Tensor x = torch::randn({4, 5}, torch::kFloat64);
  const torch::Tensor before = module->forward(x).detach().clone();
  FlatParameters flat(*module);
  EXPECT_EQ(flat.values().numel(), 5 * 7 + 7 + 7 * 2 + 2);
  EXPECT_TRUE(torch::equal(module->forward(x), before));

  module->forward(x).sum().backward();
  EXPECT_TRUE(torch::equal(flat.gradients().narrow(0, 35, 7), module->parameters()[1].grad()));
  const torch::Tensor once = flat.gradients().clone();
  module->forward(x).sum().backward();
  EXPECT_TRUE(torch::allclose(flat.gradients(), 2 * once)) << "gradients accumulate in place";

  flat.ZeroGradients();
  EXPECT_EQ(module->parameters()[0].grad().abs().sum().item<double>(), 0.0);
  {
    torch::NoGradGuard no_grad;
    flat.values().zero_();
  }
  EXPECT_EQ(module->forward(x).abs().sum().item<double>(), 0.0);
}

TEST(FlatParameters, NamesTheFirstGradientThatIsNotFinite) {
  torch::nn::Sequential module = MakeModule(torch::kFloat32);
  FlatParameters flat(*module);
  EXPECT_EQ(flat.FirstNonFiniteGradient(), "");
  flat.gradients()[40] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(flat.FirstNonFiniteGradient(), "0.bias");
}

TEST(AdamOptimizer, EqualsTorchAdamInFloat64) {
  torch::nn::Sequential ours = MakeModule(torch::kFloat64);
  torch::nn::Sequential theirs = MakeModule(torch::kFloat64);
  FlatParameters flat(*ours);
  AdamOptimizer adam(flat, {.learning_rate = 3e-3, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1.5e-4});
  torch::optim::Adam reference(theirs->parameters(), torch::optim::AdamOptions(3e-3).betas({0.9, 0.99}).eps(1.5e-4));
  for (int step = 0; step < 100; ++step) {
    const torch::Tensor x = torch::randn({8, 5}, torch::kFloat64);
    flat.ZeroGradients();
    ours->forward(x).pow(2).sum().backward();
    adam.Step(Zero());
    reference.zero_grad();
    theirs->forward(x).pow(2).sum().backward();
    reference.step();
  }
  for (size_t i = 0; i < ours->parameters().size(); ++i) {
    EXPECT_LE((ours->parameters()[i] - theirs->parameters()[i]).abs().max().item<double>(), 1e-12) << i;
  }
}

TEST(AdamOptimizer, SkipsAndCountsStepsThatAreNotFinite) {
  torch::nn::Sequential module = MakeModule(torch::kFloat32);
  FlatParameters flat(*module);
  AdamOptimizer adam(flat, {});
  flat.gradients().fill_(1);
  adam.Step(ClipGlobalNorm(flat.gradients(), 10).non_finite);
  const torch::Tensor values = flat.values().clone();
  const torch::Tensor moments = adam.State()[0].tensor.clone();

  for (const float poison : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    flat.gradients().fill_(1);
    flat.gradients()[3] = poison;
    adam.Step(ClipGlobalNorm(flat.gradients(), 10).non_finite);
  }
  EXPECT_TRUE(torch::equal(flat.values(), values));
  EXPECT_TRUE(torch::equal(adam.State()[0].tensor, moments));
  EXPECT_EQ(adam.State().back().tensor.item<float>(), 1);
  EXPECT_EQ(adam.skipped(), 2);
  EXPECT_EQ(adam.skipped_in_a_row(), 2);

  flat.gradients().fill_(1);
  adam.Step(ClipGlobalNorm(flat.gradients(), 10).non_finite);
  EXPECT_FALSE(torch::equal(flat.values(), values));
  EXPECT_EQ(adam.skipped(), 2);
  EXPECT_EQ(adam.skipped_in_a_row(), 0);
}

TEST(ClipGlobalNorm, ReportsTheNormBeforeClippingAndScalesByIt) {
  const torch::Tensor gradients = torch::tensor({3.0, 0.0, 4.0}, torch::kFloat64);
  const ClipResult clipped = ClipGlobalNorm(gradients, 1.0);
  EXPECT_DOUBLE_EQ(clipped.norm.item<double>(), 5.0);
  EXPECT_EQ(clipped.non_finite.item<float>(), 0.0F);
  EXPECT_NEAR(gradients.norm().item<double>(), 1.0, 1e-6);

  const torch::Tensor small = torch::tensor({0.3, 0.4}, torch::kFloat64);
  EXPECT_DOUBLE_EQ(ClipGlobalNorm(small, 1.0).norm.item<double>(), 0.5);
  EXPECT_TRUE(torch::equal(small, torch::tensor({0.3, 0.4}, torch::kFloat64)));
}

TEST(ClipGlobalNorm, EqualsTorchClipGradNorm) {
  const torch::Tensor start = torch::linspace(-3, 5, 40, torch::kFloat64);
  const torch::Tensor ours = start.clone();
  torch::Tensor parameter = torch::zeros({40}, torch::dtype(torch::kFloat64).requires_grad(true));
  parameter.mutable_grad() = start.clone();
  const double norm = torch::nn::utils::clip_grad_norm_({parameter}, 2.5);
  EXPECT_NEAR(ClipGlobalNorm(ours, 2.5).norm.item<double>(), norm, 1e-12);
  EXPECT_LE((ours - parameter.grad()).abs().max().item<double>(), 1e-12);
}

}  // namespace
}  // namespace traind::worker::train
