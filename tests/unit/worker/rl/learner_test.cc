// One update and what it is made of.
#include "gtest/gtest.h"
#include "worker/rl/cql.h"
#include "worker/rl/dqn_learner.h"

namespace traind::worker::rl {
namespace {

DqnOptions Options() {
  return {.gamma = .9,
          .batch_size = 30,
          .target_every = 4,
          .double_dqn = true,
          .optimizer = {.learning_rate = 1e-3, .epsilon = 1.5e-4},
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

torch::Tensor WeightsAfter(int64_t micro_batch, int updates, const DqnOptions& options = Options()) {
  DqnLearner learner(options, 3);
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

// Every choice of the optimiser's starts from the same weights and is elsewhere, in every tensor, after fifty updates.
TEST(DqnLearner, TheOptimizersOptionsTakePart) {
  using train::OptimizerKind;
  const auto with = [](const std::function<void(DqnOptions&)>& change) {
    DqnOptions options = Options();
    options.optimizer.weight_decay = .01;
    options.max_grad_norm = .1;
    change(options);
    return options;
  };
  const std::vector<std::pair<const char*, DqnOptions>> options = {
      {"adam", with([](DqnOptions&) {})},
      {"weight_decay", with([](DqnOptions& o) { o.optimizer.weight_decay = 0; })},
      {"adamw", with([](DqnOptions& o) { o.optimizer.kind = OptimizerKind::kAdamW; })},
      {"sgd", with([](DqnOptions& o) { o.optimizer.kind = OptimizerKind::kSgd; })},
      {"momentum", with([](DqnOptions& o) { o.optimizer.kind = OptimizerKind::kSgd, o.optimizer.momentum = .9; })},
      {"clip_norm", with([](DqnOptions& o) { o.clip_norm_order = std::numeric_limits<double>::infinity(); })},
  };
  for (size_t i = 0; i < options.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      DqnLearner a(options[i].second, 3), b(options[j].second, 3);
      auto before_a = a.online().named_parameters(), before_b = b.online().named_parameters();
      for (const auto& item : before_a) EXPECT_TRUE(torch::equal(item.value(), before_b[item.key()])) << item.key();
      for (int k = 0; k < 50; ++k) {
        a.Update(Batch(static_cast<uint64_t>(k)), .05, 30);
        b.Update(Batch(static_cast<uint64_t>(k)), .05, 30);
      }
      for (const auto& item : before_a) {
        EXPECT_FALSE(torch::equal(item.value(), before_b[item.key()])) << options[i].first << ' ' << options[j].first << ' ' << item.key();
      }
    }
  }
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

TEST(CqlPenalty, LeavesForbiddenActionsOut) {
  const torch::Tensor q = torch::tensor({{1.0, 2.0, 9.0}}, torch::kFloat64);
  const torch::Tensor forbidden = torch::tensor({{false, false, true}});
  EXPECT_NEAR(CqlPenalty(q, torch::tensor({0}, torch::kInt64), forbidden).item<double>(), std::log(std::exp(1) + std::exp(2)) - 1, 1e-9);
}

}  // namespace
}  // namespace traind::worker::rl
