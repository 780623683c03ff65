#include "worker/models/noisy_linear.h"

#include "tests/parity/recipes/network.h"
#include "tests/parity/recipes/recipes.h"

namespace traind::parity {

void NoisyLinear(const Fixture& fixture, Comparison& comparison) {
  namespace models = worker::models;
  const torch::Tensor x = fixture.Leaf("x");
  models::NoiseLayout layout;
  models::NoisyLinear linear(fixture.Param("mu_W").size(1), fixture.Param("mu_W").size(0), layout);
  linear.to(torch::kFloat64);
  LoadParameters(fixture, linear);
  const models::Noise noise(layout, torch::kFloat64);
  noise.in(0).copy_(fixture.Param("eps_p"));
  noise.out(0).copy_(fixture.Param("eps_q"));
  const torch::Tensor y = linear.forward(x, &noise);
  comparison.Compare("out.y", y);
  comparison.Compare("out.y_eval", linear.forward(x, nullptr));
  AgainstCotangent(fixture, y).backward();
  CompareGradients(comparison, linear);
  comparison.Compare("grad_in.x", x.grad());
  // One row without gradients, as when acting, goes a way of its own.
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> rows;
  for (int64_t row = 0; row < x.size(0); ++row) rows.push_back(linear.forward(x.narrow(0, row, 1), &noise));
  comparison.Compare("out.y", torch::cat(rows));
}

}  // namespace traind::parity
