#include "tests/parity/recipes/network.h"
#include "tests/parity/recipes/recipes.h"
#include "worker/models/q_network.h"
#include "worker/models/quantile_head.h"

namespace traind::parity {

namespace models = worker::models;

// A head of one action, so that the quantiles given are those of the action taken and of the next one.
void IqnLoss(const Fixture& fixture, Comparison& comparison) {
  const torch::Tensor theta = fixture.Leaf("theta");
  const torch::Tensor actions = torch::zeros({theta.size(0)}, torch::kInt64);
  const models::QuantileHead head({.features = 1, .num_actions = 1}, nullptr, {.kappa = fixture.Arg("kappa", 1.0)});
  const models::TdLoss loss = head.Loss({.quantiles = theta.unsqueeze(1), .fractions = fixture.In("tau")},
                                        {.actions = actions,
                                         .returns = fixture.In("reward"),
                                         .discounts = Discounts(fixture),
                                         .next = {.quantiles = fixture.In("theta_next").unsqueeze(1)},
                                         .next_actions = actions});
  comparison.Compare("out.loss_rows", loss.rows);
  const torch::Tensor mean = WeightedMean(fixture, loss.rows);
  comparison.Compare("out.loss", mean);
  mean.backward();
  comparison.Compare("grad_in.theta", theta.grad());
}

void IqnNet(const Fixture& fixture, Comparison& comparison) {
  const torch::Tensor x = fixture.Leaf("x");
  const torch::Tensor& tau = fixture.In("tau");
  models::QNetwork network({.observation_size = x.size(1),
                            .num_actions = fixture.Get("out.q").size(1),
                            .hidden = fixture.Arg<std::vector<int64_t>>("trunk"),
                            .head_hidden = fixture.Arg<std::vector<int64_t>>("head"),
                            .value_head = models::ValueHead::kIqn,
                            .dueling = false,
                            .noisy = false,
                            .cosines = fixture.Arg<int64_t>("cosines"),
                            .dtype = torch::kFloat64},
                           /*seed=*/0);
  // The reference keeps its trunk one level further down.
  const auto naming = [](const std::string& name) { return name.starts_with("model.") ? "preprocess.model." + name.substr(6) : name; };
  LoadParameters(fixture, network, naming);
  comparison.Compare("out.embedding", network.quantile()->Embed(tau));
  const models::HeadOutput output = network.forward(x, {.fractions = tau});
  comparison.Compare("out.quantiles", output.quantiles);
  comparison.Compare("out.q", network.head().ExpectedQ(output));
  AgainstCotangent(fixture, output.quantiles).backward();
  CompareGradients(comparison, network, naming);
  comparison.Compare("grad_in.x", x.grad());
}

}  // namespace traind::parity
