// One update and what it is made of.
#include "tests/unit/worker/parity_fixture.h"
#include "worker/models/quantile_head.h"
#include "worker/rl/cql.h"
#include "worker/rl/dqn_learner.h"

namespace traind::worker::rl {
namespace {

DqnOptions Options() {
  return {.learning_rate = 1e-3,
          .gamma = .9,
          .batch_size = 30,
          .target_every = 4,
          .double_dqn = true,
          .adam_epsilon = 1.5e-4,
          .max_grad_norm = 10,
          .cql_alpha = .05,
          .quantiles = 8,
          .target_quantiles = 6,
          .network = {.observation_size = 4, .num_actions = 3, .hidden = {16}, .head_hidden = {8}, .midpoints = 8}};
}

DqnBatch Batch(uint64_t seed) {
  torch::manual_seed(seed);
  DqnBatch batch = DqnBatch::Zeros(30, 4, 3);
  batch.observations.normal_();
  batch.next_observations.normal_();
  batch.actions.random_(0, 3);
  batch.returns.normal_();
  batch.discounts.fill_(.7);
  batch.weights.uniform_(.3, 1);
  batch.next_forbidden.select(1, 2).fill_(true);
  return batch;
}

torch::Tensor WeightsAfter(int64_t micro_batch, int updates) {
  DqnLearner learner(Options(), 3);
  for (int i = 0; i < updates; ++i) learner.Update(Batch(static_cast<uint64_t>(i)), .05, micro_batch);
  return torch::cat([&] {
    std::vector<torch::Tensor> parts;
    for (const torch::Tensor& parameter : learner.online().parameters()) parts.push_back(parameter.detach().reshape({-1}));
    return parts;
  }());
}

// Split into micro-batches, the last of them short, a batch has the same gradient.
TEST(DqnLearner, AccumulationChangesNothing) {
  const torch::Tensor whole = WeightsAfter(30, 10);
  EXPECT_LE((WeightsAfter(8, 10) - whole).abs().max().item<double>(), 1e-6);
  EXPECT_GT((WeightsAfter(30, 9) - whole).abs().max().item<double>(), 1e-4);
}

TEST(DqnLearner, EveryTensorMoves) {
  DqnLearner learner(Options(), 3);
  const DqnLearner fresh(Options(), 3);
  for (int i = 0; i < 50; ++i) learner.Update(Batch(static_cast<uint64_t>(i)), .05, 30);
  const auto before = fresh.online().named_parameters();
  for (const auto& item : learner.online().named_parameters()) {
    EXPECT_FALSE(torch::equal(item.value(), before[item.key()])) << item.key();
  }
  EXPECT_EQ(learner.updates(), 50);
}

TEST(DqnLearner, TheTargetFollowsInSteps) {
  DqnLearner learner(Options(), 3);
  for (int i = 1; i <= 8; ++i) {
    learner.Update(Batch(static_cast<uint64_t>(i)), .05, 30);
    EXPECT_EQ(learner.target_distance() == 0, i % 4 == 0) << i;
  }
}

TEST(DqnLearner, NoiseOfOnlineAndTargetDiffers) {
  DqnLearner learner(Options(), 3);
  learner.Update(Batch(1), .05, 30);
  const torch::Tensor first = learner.online_noise().values().clone();
  EXPECT_FALSE(torch::equal(first, learner.target_noise().values()));
  learner.Update(Batch(1), .05, 30);
  EXPECT_FALSE(torch::equal(first, learner.online_noise().values())) << "drawn anew for each update";
}

TEST(DqnLearner, EachTermHasItsShare) {
  DqnLearner learner(Options(), 3);
  learner.Update(Batch(1), .05, 30);
  const std::map<std::string, double> shares = learner.GradientShares(Batch(1), .05);
  double sum = 0;
  for (const char* term : {"c51", "iqn", "cql"}) {
    ASSERT_TRUE(shares.contains(term));
    EXPECT_GT(shares.at(term), .01) << term;
    sum += shares.at(term);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

// A step that is not finite leaves no trace but its count, and going back restores the rest.
TEST(DqnLearner, ABadBatchIsSkipped) {
  DqnLearner learner(Options(), 3);
  learner.Update(Batch(1), .05, 30);
  const DqnLearner::Snapshot before = learner.Save();
  DqnBatch bad = Batch(2);
  bad.returns[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(learner.Update(bad, .05, 30).clip.non_finite.item<float>(), 1);
  EXPECT_TRUE(torch::equal(learner.Save().online, before.online));
  EXPECT_EQ(learner.optimizer().skipped(), 1);
  learner.Update(Batch(3), .05, 30);
  EXPECT_FALSE(torch::equal(learner.Save().online, before.online));
  learner.Restore(before);
  EXPECT_TRUE(torch::equal(learner.Save().online, before.online));
}

// Q = (1, 2, 3), a = 0: 2.407606, gradient softmax(Q) - onehot(a).
TEST(CqlPenalty, MatchesTheHandComputedValue) {
  const torch::Tensor q = torch::tensor({{1.0, 2.0, 3.0}}, torch::dtype(torch::kFloat64).requires_grad(true));
  const torch::Tensor none = torch::zeros({1, 3}, torch::kBool);
  const torch::Tensor penalty = CqlPenalty(q, torch::tensor({0}, torch::kInt64), none);
  EXPECT_NEAR(penalty.item<double>(), 2.407606, 1e-6);
  penalty.sum().backward();
  EXPECT_TRUE(torch::allclose(q.grad(), torch::tensor({{-.909969, .244728, .665241}}, torch::kFloat64), 1e-5, 1e-5));
}

// Through each head's expected value, as the reference has it.
TEST(CqlPenalty, MatchesTheReference) {
  for (const char* kind : {"scalar", "c51", "iqn"}) {
    auto fixture = ReadParityFixture(std::string("dqn_cql_") + kind);
    const torch::Tensor head = fixture["in.head"].clone().requires_grad_(true);
    torch::Tensor q = head;
    if (std::string(kind) == "c51") {
      models::CategoricalHead categorical({.features = 1, .num_actions = 3, .width = 11}, nullptr, -4, 4);
      categorical.to(torch::kFloat64);
      categorical.SetSupport(-4, 4);
      q = categorical.ExpectedQ({.logits = head});
    } else if (std::string(kind) == "iqn") {
      q = models::QuantileHead({.features = 1, .num_actions = 3}, nullptr, {}).ExpectedQ({.quantiles = head});
    }
    const torch::Tensor none = torch::zeros(q.sizes(), torch::kBool);
    const torch::Tensor penalty = CqlPenalty(q, fixture["in.action"], none).mean();
    EXPECT_TRUE(torch::allclose(q, fixture["out.q"], 1e-9, 1e-9)) << kind;
    EXPECT_NEAR(penalty.item<double>(), fixture["out.penalty"].item<double>(), 1e-9) << kind;
    penalty.backward();
    EXPECT_TRUE(torch::allclose(head.grad(), fixture["grad_in.head"], 1e-8, 1e-8)) << kind;
  }
}

TEST(CqlPenalty, LeavesForbiddenActionsOut) {
  const torch::Tensor q = torch::tensor({{1.0, 2.0, 9.0}}, torch::kFloat64);
  const torch::Tensor forbidden = torch::tensor({{false, false, true}});
  EXPECT_NEAR(CqlPenalty(q, torch::tensor({0}, torch::kInt64), forbidden).item<double>(), std::log(std::exp(1) + std::exp(2)) - 1, 1e-9);
}

}  // namespace
}  // namespace traind::worker::rl
