#include "tests/parity/recipes/network.h"
#include "tests/parity/recipes/recipes.h"
#include "worker/models/categorical_head.h"
#include "worker/rl/importance.h"

namespace traind::parity {
namespace {

namespace models = worker::models;

// What cross entropy has beyond the KL divergence: a constant of the target, 0 log 0 = 0.
torch::Tensor Entropy(const torch::Tensor& target) { return -torch::xlogy(target, target).sum(-1); }

}  // namespace

// A head of one action, so that the distributions given are those of the action taken and of the next one.
void C51Projection(const Fixture& fixture, Comparison& comparison) {
  const torch::Tensor logits = fixture.Leaf("logits");
  const torch::Tensor &next = fixture.In("next_probs"), &reward = fixture.In("reward");
  const double v_min = fixture.Arg<double>("v_min"), v_max = fixture.Arg<double>("v_max");
  models::CategoricalHead head({.features = 1, .num_actions = 1, .width = logits.size(1)}, nullptr, v_min, v_max);
  head.to(torch::kFloat64);
  head.SetSupport(v_min, v_max);
  comparison.Compare("out.support", head.support());
  const torch::Tensor target = models::ProjectDistribution(next, reward, Discounts(fixture), head.support());
  comparison.Compare("out.target", target);

  const torch::Tensor actions = torch::zeros({logits.size(0)}, torch::kInt64);
  const models::TdLoss loss = head.Loss({.logits = logits.unsqueeze(1)}, {.actions = actions,
                                                                          .returns = reward,
                                                                          .discounts = Discounts(fixture),
                                                                          .next = {.logits = next.log().unsqueeze(1)},
                                                                          .next_actions = actions});
  comparison.Compare("out.kl", loss.rows);
  comparison.Compare("out.kl", loss.priorities);
  const torch::Tensor cross_entropy = loss.rows + Entropy(target);
  comparison.Compare("out.cross_entropy", cross_entropy);
  const torch::Tensor mean = WeightedMean(fixture, cross_entropy);
  comparison.Compare("out.loss", mean);
  mean.backward();
  comparison.Compare("grad_in.logits", logits.grad());
}

void C51KlPriority(const Fixture& fixture, Comparison& comparison) {
  const torch::Tensor& target = fixture.In("target");
  const torch::Tensor kl = models::CategoricalKl(target, fixture.In("logits"));
  comparison.Compare("out.kl", kl);
  comparison.Compare("out.target_entropy", Entropy(target));
  comparison.Compare("out.cross_entropy", kl + Entropy(target));
  torch::Tensor priority = kl.clone();
  for (int64_t i = 0; i < priority.size(0); ++i) {
    priority[i] = worker::rl::PriorityOf(kl[i].item<double>(), fixture.Arg<double>("epsilon"), /*highest=*/0);
  }
  comparison.Compare("out.priority", priority);
}

}  // namespace traind::parity
