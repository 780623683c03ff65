#include "worker/train/optimizer.h"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "worker/train/flat_parameters.h"
#include "worker/train/gradient_accumulation.h"
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

// Ours and the one of LibTorch by its name: a hundred steps along the gradients of the same batches.
struct OptimizerCase {
  const char* name;
  OptimizerOptions options;
  std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<torch::Tensor>)> reference;
};

std::unique_ptr<torch::optim::Optimizer> Adam(std::vector<torch::Tensor> parameters, double weight_decay, bool amsgrad) {
  const auto options = torch::optim::AdamOptions(3e-3).betas({0.9, 0.99}).eps(1.5e-4).weight_decay(weight_decay).amsgrad(amsgrad);
  return std::make_unique<torch::optim::Adam>(std::move(parameters), options);
}

std::unique_ptr<torch::optim::Optimizer> AdamW(std::vector<torch::Tensor> parameters, double weight_decay) {
  const auto options = torch::optim::AdamWOptions(3e-3).betas({0.9, 0.99}).eps(1.5e-4).weight_decay(weight_decay);
  return std::make_unique<torch::optim::AdamW>(std::move(parameters), options);
}

std::unique_ptr<torch::optim::Optimizer> Sgd(std::vector<torch::Tensor> parameters, double weight_decay, double momentum, double dampening,
                                             bool nesterov) {
  const auto options = torch::optim::SGDOptions(3e-3).momentum(momentum).dampening(dampening).weight_decay(weight_decay).nesterov(nesterov);
  return std::make_unique<torch::optim::SGD>(std::move(parameters), options);
}

std::vector<OptimizerCase> OptimizerCases() {
  using Kind = OptimizerKind;
  using Parameters = std::vector<torch::Tensor>;
  const OptimizerOptions adam = {.learning_rate = 3e-3, .beta2 = 0.99, .epsilon = 1.5e-4};
  const auto with = [](OptimizerOptions options, const std::function<void(OptimizerOptions&)>& change) {
    change(options);
    return options;
  };
  const OptimizerOptions sgd = {.kind = Kind::kSgd, .learning_rate = 3e-3};
  return {
      {"adam", adam, [](Parameters p) { return Adam(std::move(p), 0, false); }},
      {"adam_l2", with(adam, [](auto& o) { o.weight_decay = .1; }), [](Parameters p) { return Adam(std::move(p), .1, false); }},
      {"adam_amsgrad", with(adam, [](auto& o) { o.amsgrad = true; }), [](Parameters p) { return Adam(std::move(p), 0, true); }},
      {"adamw", with(adam, [](auto& o) { o.kind = Kind::kAdamW, o.weight_decay = .1; }),
       [](Parameters p) { return AdamW(std::move(p), .1); }},
      {"sgd", sgd, [](Parameters p) { return Sgd(std::move(p), 0, 0, 0, false); }},
      {"sgd_momentum_l2", with(sgd, [](auto& o) { o.momentum = .9, o.weight_decay = .1; }),
       [](Parameters p) { return Sgd(std::move(p), .1, .9, 0, false); }},
      {"sgd_nesterov", with(sgd, [](auto& o) { o.momentum = .9, o.nesterov = true; }),
       [](Parameters p) { return Sgd(std::move(p), 0, .9, 0, true); }},
      {"sgd_dampening", with(sgd, [](auto& o) { o.momentum = .9, o.dampening = .3; }),
       [](Parameters p) { return Sgd(std::move(p), 0, .9, .3, false); }},
  };
}

class Optimizers : public ::testing::TestWithParam<OptimizerCase> {};

// A skipped step, the very first among them, is as if it had never been asked for.
TEST_P(Optimizers, EqualTorchInFloat64) {
  torch::nn::Sequential ours = MakeModule(torch::kFloat64);
  torch::nn::Sequential theirs = MakeModule(torch::kFloat64);
  FlatParameters flat(*ours);
  Optimizer optimizer(flat, GetParam().options);
  const auto reference = GetParam().reference(theirs->parameters());
  for (int step = 0; step < 100; ++step) {
    if (step % 40 == 0) {
      flat.gradients().fill_(std::numeric_limits<double>::quiet_NaN());
      optimizer.Step(ClipGlobalNorm(flat.gradients(), 10).non_finite);
    }
    const torch::Tensor x = torch::randn({8, 5}, torch::kFloat64);
    flat.ZeroGradients();
    ours->forward(x).pow(2).sum().backward();
    optimizer.Step(Zero());
    reference->zero_grad();
    theirs->forward(x).pow(2).sum().backward();
    reference->step();
  }
  for (size_t i = 0; i < ours->parameters().size(); ++i) {
    EXPECT_LE((ours->parameters()[i] - theirs->parameters()[i]).abs().max().item<double>(), 1e-12) << i;
  }
}

TEST_P(Optimizers, SkipAndCountStepsThatAreNotFinite) {
  torch::nn::Sequential module = MakeModule(torch::kFloat32);
  FlatParameters flat(*module);
  Optimizer optimizer(flat, GetParam().options);
  flat.gradients().fill_(1);
  optimizer.Step(ClipGlobalNorm(flat.gradients(), 10).non_finite);
  const torch::Tensor values = flat.values().clone();
  NamedTensors state;
  for (const NamedTensor& live : optimizer.State()) state.push_back({live.name, live.tensor.clone()});

  for (const float poison : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    flat.gradients().fill_(1);
    flat.gradients()[3] = poison;
    optimizer.Step(ClipGlobalNorm(flat.gradients(), 10).non_finite);
  }
  EXPECT_TRUE(torch::equal(flat.values(), values));
  for (size_t i = 0; i < state.size(); ++i) EXPECT_TRUE(torch::equal(optimizer.State()[i].tensor, state[i].tensor)) << state[i].name;
  EXPECT_EQ(optimizer.State().back().tensor.item<float>(), 1);
  EXPECT_EQ(optimizer.skipped(), 2);
  EXPECT_EQ(optimizer.skipped_in_a_row(), 2);

  flat.gradients().fill_(1);
  optimizer.Step(ClipGlobalNorm(flat.gradients(), 10).non_finite);
  EXPECT_FALSE(torch::equal(flat.values(), values));
  EXPECT_EQ(optimizer.skipped(), 2);
  EXPECT_EQ(optimizer.skipped_in_a_row(), 0);
}

// Nothing is kept that the rule does not use.
TEST_P(Optimizers, KeepTheirStatesOnly) {
  torch::nn::Sequential module = MakeModule(torch::kFloat32);
  FlatParameters flat(*module);
  const OptimizerOptions& options = GetParam().options;
  const int64_t wanted = options.kind == OptimizerKind::kSgd ? (options.momentum > 0 ? 1 : 0) : (options.amsgrad ? 3 : 2);
  EXPECT_EQ(OptimizerStates(options), wanted);
  EXPECT_EQ(Optimizer(flat, options).State().size(), static_cast<size_t>(4 * wanted + 1));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Optimizers, ::testing::ValuesIn(OptimizerCases()), [](const auto& info) { return info.param.name; });

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

// Also where the squares overflow: the norm is infinite, every gradient 0, and the step is skipped.
TEST(ClipGlobalNorm, EqualsTorchClipGradNorm) {
  for (const double order : {2.0, std::numeric_limits<double>::infinity()}) {
    for (const double scale : {1.0, 1e-3, 0.0, 1e160}) {
      const torch::Tensor start = torch::linspace(-3, 5, 40, torch::kFloat64) * scale;
      const torch::Tensor ours = start.clone();
      torch::Tensor parameter = torch::zeros({40}, torch::dtype(torch::kFloat64).requires_grad(true));
      parameter.mutable_grad() = start.clone();
      const double norm = torch::nn::utils::clip_grad_norm_({parameter}, 2.5, order);
      const ClipResult clipped = ClipGlobalNorm(ours, 2.5, order);
      EXPECT_DOUBLE_EQ(clipped.norm.item<double>(), norm) << order << ' ' << scale;
      EXPECT_LE((ours - parameter.grad()).abs().max().item<double>(), 1e-12) << order << ' ' << scale;
      EXPECT_EQ(clipped.non_finite.item<float>(), std::isinf(norm) ? 1.0F : 0.0F);
    }
  }
}

TEST(ClipGlobalNorm, SeesWhatIsNotFiniteInEitherNorm) {
  for (const double order : {2.0, std::numeric_limits<double>::infinity()}) {
    for (const double poison : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
      EXPECT_EQ(ClipGlobalNorm(torch::tensor({1.0, poison, 2.0}, torch::kFloat64), 1, order).non_finite.item<float>(), 1.0F);
    }
  }
}

// The parts' sums over one count: as the whole, however ragged; the mean of their means is something else.
TEST(GradientAccumulator, EqualsTheWholeBatch) {
  torch::nn::Sequential module = MakeModule(torch::kFloat64);
  FlatParameters flat(*module);
  const torch::Tensor x = torch::randn({11, 5}, torch::kFloat64);
  const auto rows = [&](int64_t begin, int64_t count) { return module->forward(x.narrow(0, begin, count)).pow(2).sum(1); };
  const torch::Tensor loss = rows(0, 11).mean();
  loss.backward();
  const torch::Tensor whole = flat.gradients().clone();
  flat.ZeroGradients();
  GradientAccumulator gradient(11);
  for (const auto& [begin, count] : {std::pair(0, 4), std::pair(4, 6), std::pair(10, 1)}) gradient.Add(rows(begin, count).sum());
  EXPECT_LE((flat.gradients() - whole).abs().max().item<double>(), 1e-12);
  EXPECT_NEAR(gradient.loss().item<double>(), loss.item<double>(), 1e-12);
  EXPECT_FALSE(gradient.loss().requires_grad());
}

}  // namespace
}  // namespace traind::worker::train
