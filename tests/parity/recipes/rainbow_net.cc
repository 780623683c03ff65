#include "absl/strings/str_cat.h"
#include "tests/parity/recipes/network.h"
#include "tests/parity/recipes/recipes.h"
#include "worker/models/q_network.h"

namespace traind::parity {
namespace {

namespace models = worker::models;

// The reference's layers hold their noise; ours comes in one draw, layer after layer of the advantage and then of the value.
void LoadNoise(const Fixture& fixture, size_t layers, const models::Noise& noise) {
  size_t layer = 0;
  for (const char* stream : {"Q", "V"}) {
    for (size_t i = 0; i < layers; ++i, ++layer) {
      const std::string name = absl::StrCat(stream, ".model.", 2 * i);
      noise.in(layer).copy_(fixture.Param(name + ".eps_p"));
      noise.out(layer).copy_(fixture.Param(name + ".eps_q"));
    }
  }
}

}  // namespace

void RainbowNet(const Fixture& fixture, Comparison& comparison) {
  const torch::Tensor x = fixture.Leaf("x");
  const auto noisy = fixture.Arg<bool>("noisy");
  const auto head = fixture.Arg<std::vector<int64_t>>("head");
  const torch::Tensor &logits = fixture.Get("out.logits"), &target = fixture.In("target");
  models::QNetwork network({.observation_size = x.size(1),
                            .num_actions = logits.size(1),
                            .hidden = fixture.Arg<std::vector<int64_t>>("trunk"),
                            .head_hidden = head,
                            .value_head = models::ValueHead::kC51,
                            .noisy = noisy,
                            .atoms = logits.size(2),
                            .v_min = fixture.Arg<double>("v_min"),
                            .v_max = fixture.Arg<double>("v_max"),
                            .dtype = torch::kFloat64},
                           /*seed=*/0);
  LoadParameters(fixture, network);
  const models::Noise noise(network.noise_layout(), torch::kFloat64);
  if (noisy) LoadNoise(fixture, head.size() + 1, noise);
  const models::HeadOutput output = network.forward(x, {.noise = noisy ? &noise : nullptr});
  comparison.Compare("out.logits", output.logits);
  comparison.Compare("out.q", network.head().ExpectedQ(output));
  // The reference's cross entropy is our divergence and the target's entropy, a constant.
  const torch::Tensor rows = models::CategoricalKl(target, models::OfAction(output.logits, fixture.In("action")));
  const torch::Tensor loss = WeightedMean(fixture, rows - torch::xlogy(target, target).sum(1));
  comparison.Compare("out.loss", loss);
  loss.backward();
  CompareGradients(comparison, network);
  comparison.Compare("grad_in.x", x.grad());
}

}  // namespace traind::parity
