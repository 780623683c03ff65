#include <limits>

#include "absl/strings/str_cat.h"
#include "tests/parity/recipes/network.h"
#include "tests/parity/recipes/recipes.h"
#include "worker/rl/dqn_learner.h"

namespace traind::parity {
namespace {

namespace rl = worker::rl;

// One step of plain DQN: no double target, a Huber loss, Adam, a target network that stays.
rl::DqnOptions Options(const Fixture& fixture) {
  return {.batch_size = fixture.In("action").size(0),
          .target_every = std::numeric_limits<int64_t>::max(),
          .double_dqn = false,
          .optimizer = {.learning_rate = fixture.Arg<double>("lr"), .epsilon = fixture.Arg("eps", 1e-8)},
          .max_grad_norm = fixture.Arg<double>("max_norm"),
          .network = {.observation_size = fixture.In("observation").size(1),
                      .num_actions = fixture.Get("out.q").size(1),
                      .hidden = fixture.Arg<std::vector<int64_t>>("hidden"),
                      .value_head = worker::models::ValueHead::kScalar,
                      .dueling = false,
                      .noisy = false,
                      .huber = 1,
                      .dtype = torch::kFloat64}};
}

rl::DqnBatch Batch(const Fixture& fixture) {
  const torch::Tensor none_forbidden = torch::zeros(fixture.Get("out.q").sizes(), torch::kBool);
  return {.observations = fixture.In("observation"),
          .next_observations = fixture.In("next_observation"),
          .actions = fixture.In("action").view({-1}),
          .returns = fixture.In("reward").view({-1}),
          .discounts = Discounts(fixture).view({-1}),
          .weights = torch::ones({fixture.In("action").size(0)}, torch::kFloat64),
          .forbidden = none_forbidden,
          .next_forbidden = none_forbidden};
}

}  // namespace

void DqnUpdate(const Fixture& fixture, Comparison& comparison) {
  const rl::DqnOptions options = Options(fixture);
  rl::DqnLearner learner(options, /*seed=*/0);
  // The reference has one stack of layers where we have a trunk and a head.
  const auto naming = [&](const std::string& name) {
    return absl::StrCat(
        "q_net.", name.starts_with("Q.model.0.") ? absl::StrCat(2 * options.network.hidden.size(), ".", name.substr(10)) : name.substr(12));
  };
  LoadParameters(fixture, learner.online(), naming, "param.q_net.");
  LoadParameters(fixture, learner.target(), naming, "param.q_net_target.");
  const rl::DqnBatch batch = Batch(fixture);
  comparison.Compare("out.q", learner.online().ExpectedQ(batch.observations, {}));
  const rl::UpdateResult result = learner.Update(batch, /*cql_alpha=*/0, /*micro_batch=*/batch.rows());
  comparison.Compare("out.loss", result.loss);
  CompareGradients(comparison, learner.online(), naming, "out.clipped_grad.q_net.");
  for (const auto& item : learner.online().named_parameters()) comparison.Compare("out.after.q_net." + naming(item.key()), item.value());
}

}  // namespace traind::parity
