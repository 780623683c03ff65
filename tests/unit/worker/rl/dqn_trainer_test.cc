// The trainer on an environment whose values are known, and what must not move them.
#include "worker/rl/dqn_trainer.h"

#include <cmath>

#include "common/base/failure.h"
#include "tests/testing/status_matchers.h"
#include "tests/unit/worker/job_params.h"
#include "worker/envs/env_list.h"

namespace traind::worker::rl {
namespace {

constexpr int64_t kEpisode = 10;

// Pays 1 each step for ten steps; the observation is the time within the episode, or always 1 where it is blind. Action 1 is not allowed.
class Clockwork final : public envs::EnvironmentSet, public envs::ObservationSource {
 public:
  explicit Clockwork(bool terminates, double reward = 1, bool blind = false) : terminates_(terminates), reward_(reward), blind_(blind) {}

  int64_t observation_size() const override { return 1; }
  int num_actions() const override { return 2; }
  void Gather(std::span<const envs::EnvState> states, std::span<float> out) const override {
    for (size_t i = 0; i < states.size(); ++i) out[i] = blind_ ? 1 : static_cast<float>(states[i].row) / kEpisode;
  }
  void ActionMask(const envs::EnvState&, std::span<uint8_t> allowed) const override { allowed[0] = 1, allowed[1] = 0; }

  const ObservationSource& observations() const override { return *this; }
  std::unique_ptr<envs::Environment> MakeTraining() const override { return std::make_unique<Episode>(*this); }
  int evaluation_count() const override { return 0; }
  std::unique_ptr<envs::EvaluationEnvironment> MakeEvaluation(int) const override { return nullptr; }
  double reward_scale() const override { return 1; }
  std::string normaliser_json() const override { return "{}"; }

 private:
  class Episode final : public envs::Environment {
   public:
    explicit Episode(const Clockwork& set) : set_(set) {}
    const envs::ObservationSource& observations() const override { return set_; }
    void Reset(RandomStream&) override { state_ = {}; }
    envs::EnvState state() const override { return state_; }
    envs::StepOutcome Step(int action) override {
      EXPECT_EQ(action, 0) << "a forbidden action was taken";
      const bool ended = ++state_.row == kEpisode;
      return {.reward = set_.reward_, .terminated = ended && set_.terminates_, .truncated = ended && !set_.terminates_};
    }

   private:
    const Clockwork& set_;
    envs::EnvState state_;
  };

  const bool terminates_;
  const double reward_;
  const bool blind_;
};

// Plain Double DQN.
DqnOptions SmallOptions() {
  return {.steps = 10'000,
          .gamma = .9,
          .batch_size = 32,
          .replay_capacity = 1000,
          .warmup_steps = 100,
          .train_every = 2,
          .target_every = 40,
          .double_dqn = true,
          .epsilon_start = 1,
          .epsilon_end = .05,
          .epsilon_fraction = .2,
          .optimizer = {.learning_rate = 3e-3, .epsilon = 1.5e-4},
          .max_grad_norm = 10,
          .reward_clip = 10,
          .network = {.hidden = {32}, .value_head = models::ValueHead::kScalar, .dueling = false, .noisy = false}};
}

// All eight parts on.
DqnOptions RainbowOptions() {
  DqnOptions options = SmallOptions();
  options.steps = 3'000;
  options.n_step = 3;
  options.prioritized = true;
  options.priority_exponent = .5;
  options.priority_beta = .4;
  options.sample_lag = 1;
  options.cql_alpha = .05;
  options.quantiles = options.target_quantiles = 8;
  options.network = {.hidden = {32}, .head_hidden = {16}, .midpoints = 8};
  return options;
}

class Recorder : public train::TrainCallbacks {
 public:
  bool StopRequested() override { return step >= stop_at; }
  void OnStep(int64_t now, std::optional<double>) override { step = now; }
  void OnMetrics(int64_t, const std::map<std::string, double>& values) override { metrics = values; }
  bool CheckpointDue() override { return false; }
  absl::Status SaveCheckpoint(int64_t, const train::TrainerState&) override { return absl::OkStatus(); }

  int64_t stop_at = INT64_MAX;
  int64_t step = 0;
  std::map<std::string, double> metrics;
};

std::string HashAfter(const DqnOptions& options, uint64_t seed) {
  const Params params = SyntheticParams(2);
  const auto provider = *envs::MakeEnvironments(params, OpenBelow("/"));
  const auto environments = *provider->MakeFold(0);
  DqnTrainer trainer(options, *environments, seed);
  Recorder recorder;
  EXPECT_OK(trainer.TrainFold(recorder));
  return trainer.WeightsHash();
}

double MeanQ(const DqnOptions& options, bool terminates, bool blind = false) {
  const Clockwork environments(terminates, 1, blind);
  DqnTrainer trainer(options, environments, 1);
  Recorder recorder;
  EXPECT_OK(trainer.TrainFold(recorder));
  return recorder.metrics["q_mean"];
}

// Cut off by a time limit, the value goes on: 1 / (1 - γ) = 10 at every state.
TEST(DqnTrainer, TruncationBootstraps) {
  EXPECT_NEAR(MeanQ(SmallOptions(), false), 10, .5);
  EXPECT_NEAR(MeanQ(RainbowOptions(), false), 10, .5);
}

// Ended for good: Σ over the steps left, Q_k = (1 - γ^k) / (1 - γ), k = 1..10, 4.14 on average; with priorities, of what is drawn.
TEST(DqnTrainer, TerminationDoesNot) {
  EXPECT_NEAR(MeanQ(SmallOptions(), true), 4.14, .3);
  EXPECT_NEAR(MeanQ(RainbowOptions(), true), 4.14, 1);
}

// The time limit of γ = .99: 100, where taking the limit for an end gives below 10.
TEST(DqnTrainer, ATimeLimitIsNoEnd) {
  DqnOptions options = SmallOptions();
  options.gamma = .99;
  options.n_step = 5;
  EXPECT_NEAR(MeanQ(options, false, /*blind=*/true), 100, 5);
}

TEST(DqnTrainer, TheSameSeedGivesTheSameWeights) {
  DqnOptions options = SmallOptions();
  options.steps = 600;
  EXPECT_EQ(HashAfter(options, 7), HashAfter(options, 7));
  EXPECT_NE(HashAfter(options, 7), HashAfter(options, 8));
}

// Each option changes the weights within 250 updates: none is read and then ignored.
TEST(DqnTrainer, EveryOptionTakesPart) {
  DqnOptions options = SmallOptions();
  options.steps = 600;
  options.warmup_steps = 20;
  const std::string base = HashAfter(options, 7);
  const std::vector<std::pair<const char*, std::function<void(DqnOptions&)>>> changes = {
      {"learning_rate", [](DqnOptions& o) { o.optimizer.learning_rate = 2e-3; }},
      {"gamma", [](DqnOptions& o) { o.gamma = .8; }},
      {"batch_size", [](DqnOptions& o) { o.batch_size = 16; }},
      {"replay_capacity", [](DqnOptions& o) { o.replay_capacity = 200; }},
      {"warmup_steps", [](DqnOptions& o) { o.warmup_steps = 200; }},
      {"train_every", [](DqnOptions& o) { o.train_every = 3; }},
      {"target_every", [](DqnOptions& o) { o.target_every = 20; }},
      {"double_dqn", [](DqnOptions& o) { o.double_dqn = false; }},
      {"epsilon_start", [](DqnOptions& o) { o.epsilon_start = .9; }},
      {"epsilon_end", [](DqnOptions& o) { o.epsilon_end = .01; }},
      {"epsilon_fraction", [](DqnOptions& o) { o.epsilon_fraction = .9; }},
      {"hidden", [](DqnOptions& o) { o.network.hidden = {16}; }},
      {"adam_epsilon", [](DqnOptions& o) { o.optimizer.epsilon = 1e-3; }},
      {"max_grad_norm", [](DqnOptions& o) { o.max_grad_norm = .01; }},
      {"weight_decay", [](DqnOptions& o) { o.optimizer.weight_decay = .01; }},
      {"sgd", [](DqnOptions& o) { o.optimizer.kind = train::OptimizerKind::kSgd; }},
      {"reward_clip", [](DqnOptions& o) { o.reward_clip = .5; }},
  };
  for (const auto& [name, change] : changes) {
    DqnOptions changed = options;
    change(changed);
    EXPECT_NE(HashAfter(changed, 7), base) << name;
  }
}

// Leaving out any of the eight parts, or changing what belongs to one, changes the weights: none is on and then bypassed.
TEST(DqnTrainer, EveryPartTakesPart) {
  DqnOptions options = RainbowOptions();
  options.steps = 200;
  options.warmup_steps = 100;
  const std::string base = HashAfter(options, 7);
  EXPECT_EQ(HashAfter(options, 7), base);
  const std::vector<std::pair<const char*, std::function<void(DqnOptions&)>>> changes = {
      {"double_dqn", [](DqnOptions& o) { o.double_dqn = false; }},
      {"dueling", [](DqnOptions& o) { o.network.dueling = false; }},
      {"n_step", [](DqnOptions& o) { o.n_step = 1; }},
      {"cut_exploratory", [](DqnOptions& o) { o.cut_exploratory = false; }},
      {"prioritized", [](DqnOptions& o) { o.prioritized = false; }},
      {"noisy", [](DqnOptions& o) { o.network.noisy = false; }},
      {"c51", [](DqnOptions& o) { o.network.value_head = models::ValueHead::kIqn; }},
      {"iqn", [](DqnOptions& o) { o.network.value_head = models::ValueHead::kC51; }},
      {"cql", [](DqnOptions& o) { o.cql_alpha = 0; }},
      {"target_tau", [](DqnOptions& o) { o.target_tau = .01; }},
      {"noisy_sigma", [](DqnOptions& o) { o.network.noisy_sigma = .4; }},
      {"priority_exponent", [](DqnOptions& o) { o.priority_exponent = .6; }},
      {"priority_beta", [](DqnOptions& o) { o.priority_beta = .5; }},
      {"sample_lag", [](DqnOptions& o) { o.sample_lag = 0; }},
      {"atoms", [](DqnOptions& o) { o.network.atoms = 21; }},
      {"support",
       [](DqnOptions& o) {
         o.support = {-5, 15};
       }},
      {"quantiles", [](DqnOptions& o) { o.quantiles = 4; }},
      {"target_quantiles", [](DqnOptions& o) { o.target_quantiles = 4; }},
      {"acting_quantiles", [](DqnOptions& o) { o.network.midpoints = 4; }},
      {"cosines", [](DqnOptions& o) { o.network.cosines = 32; }},
      {"kappa", [](DqnOptions& o) { o.network.kappa = .5; }},
      {"iqn_weight", [](DqnOptions& o) { o.network.iqn_weight = 2; }},
      {"head_hidden", [](DqnOptions& o) { o.network.head_hidden = {8}; }},
  };
  for (const auto& [name, change] : changes) {
    DqnOptions changed = options;
    change(changed);
    EXPECT_NE(HashAfter(changed, 7), base) << name;
  }
}

TEST(DqnTrainer, StopsWhenAsked) {
  const Clockwork environments(false);
  DqnTrainer trainer(SmallOptions(), environments, 1);
  Recorder recorder;
  recorder.stop_at = 500;
  EXPECT_TRUE(absl::IsCancelled(trainer.TrainFold(recorder)));
  EXPECT_EQ(recorder.step, 500);
}

TEST(DqnTrainer, ARewardThatIsNoNumberIsAFaultOfTheData) {
  const Clockwork environments(false, std::nan(""));
  DqnTrainer trainer(SmallOptions(), environments, 1);
  Recorder recorder;
  const absl::Status status = trainer.TrainFold(recorder);
  EXPECT_EQ(CauseOf(status), FailureCause::kData);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("step 0"));
}

}  // namespace
}  // namespace traind::worker::rl
