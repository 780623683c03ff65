#include "tests/parity/recipes/network.h"
#include "tests/parity/recipes/recipes.h"
#include "worker/models/scalar_head.h"
#include "worker/rl/best_action.h"

namespace traind::parity {

void DoubleDqn(const Fixture& fixture, Comparison& comparison) {
  namespace models = worker::models;
  const torch::Tensor q = fixture.Leaf("q");
  const torch::Tensor &action = fixture.In("action"), &next = fixture.In("q_target_next");
  const models::TdTarget target{.actions = action,
                                .returns = fixture.In("reward"),
                                .discounts = Discounts(fixture),
                                .next = {.values = next},
                                .next_actions = worker::rl::BestAction(fixture.In("q_online_next"), torch::zeros(q.sizes(), torch::kBool))};
  comparison.Compare("out.next_action", target.next_actions);
  const torch::Tensor wanted = models::Bootstrap(target.returns, target.discounts, models::OfAction(next, target.next_actions));
  comparison.Compare("out.target", wanted);

  const models::StreamsShape shape = {.features = 1, .num_actions = q.size(1), .dueling = false};
  // Half the squared error and its priorities, |δ|; the sign is the reference's.
  const models::TdLoss squared = models::ScalarHead(shape, nullptr, /*huber=*/0).Loss({.values = q}, target);
  const torch::Tensor error = models::OfAction(q, action) - wanted;
  const torch::Tensor sign = torch::copysign(torch::ones_like(error), fixture.Get("out.td_error"));
  comparison.Compare("out.td_error", squared.priorities * sign);
  comparison.Compare("out.td_error", error.abs() * sign);
  comparison.Compare("out.loss_mse", 2 * WeightedMean(fixture, squared.rows));
  const torch::Tensor huber = WeightedMean(fixture, models::ScalarHead(shape, nullptr, /*huber=*/1).Loss({.values = q}, target).rows);
  comparison.Compare("out.loss_huber", huber);
  huber.backward();
  comparison.Compare("grad_in.q", q.grad());
}

}  // namespace traind::parity
