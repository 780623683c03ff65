#include "worker/rl/cql.h"

#include "tests/parity/recipes/recipes.h"
#include "worker/models/categorical_head.h"
#include "worker/models/quantile_head.h"
#include "worker/models/scalar_head.h"

namespace traind::parity {
namespace {

namespace models = worker::models;

// Expected values through the head that the file is about; its layers are not asked.
torch::Tensor ExpectedQ(const Fixture& fixture, const torch::Tensor& prediction) {
  const auto kind = fixture.Arg<std::string>("kind");
  const models::StreamsShape shape = {.features = 1, .num_actions = prediction.size(1), .width = kind == "c51" ? prediction.size(2) : 1};
  if (kind == "scalar") return models::ScalarHead(shape, nullptr, /*huber=*/0).ExpectedQ({.values = prediction});
  if (kind == "iqn") return models::QuantileHead(shape, nullptr, {}).ExpectedQ({.quantiles = prediction});
  TORCH_CHECK(kind == "c51", "args.kind is ", kind, "; there are scalar, c51, iqn");
  const double v_min = fixture.Arg<double>("v_min"), v_max = fixture.Arg<double>("v_max");
  models::CategoricalHead head(shape, nullptr, v_min, v_max);
  head.to(torch::kFloat64);
  head.SetSupport(v_min, v_max);
  return head.ExpectedQ({.logits = prediction});
}

}  // namespace

void CqlPenalty(const Fixture& fixture, Comparison& comparison) {
  const torch::Tensor prediction = fixture.Leaf("head");
  const torch::Tensor q = ExpectedQ(fixture, prediction);
  comparison.Compare("out.q", q);
  const torch::Tensor none_forbidden = torch::zeros(q.sizes(), torch::kBool);
  const torch::Tensor penalty = worker::rl::CqlPenalty(q, fixture.In("action"), none_forbidden).mean();
  comparison.Compare("out.penalty", penalty);
  penalty.backward();
  comparison.Compare("grad_in.head", prediction.grad());
}

}  // namespace traind::parity
