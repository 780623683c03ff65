#include "worker/envs/synthetic_market.h"

#include <cmath>
#include <string>
#include <utility>

#include "common/base/status.h"

namespace traind::worker::envs {
namespace {

// The process has no end; training looks at pieces of this many steps.
constexpr int64_t kEpisodeSteps = 200;
constexpr int kActions = 3;

// state.row holds the sign, state.local[0] the position.
class Observations final : public ObservationSource {
 public:
  int64_t observation_size() const override { return 2; }
  int num_actions() const override { return kActions; }
  void Gather(std::span<const EnvState> states, std::span<float> out) const override {
    for (size_t i = 0; i < states.size(); ++i) {
      out[2 * i] = static_cast<float>(states[i].row);
      out[2 * i + 1] = states[i].local[0];
    }
  }
  void ActionMask(const EnvState&, std::span<uint8_t> allowed) const override {
    for (uint8_t& action : allowed) action = 1;
  }
};

class SyntheticEnvironment final : public EvaluationEnvironment {
 public:
  // `episode_steps` 0: no end.
  SyntheticEnvironment(const SyntheticOptions& options, const Observations& observations, int64_t episode_steps)
      : options_(options), observations_(observations), episode_steps_(episode_steps) {}

  const ObservationSource& observations() const override { return observations_; }
  void Reset(RandomStream& random) override {
    random_ = &random;
    state_ = {};
    state_.row = random.Uniform() < 0.5 ? -1 : 1;
    steps_ = 0;
    traded_ = false;
  }
  EnvState state() const override { return state_; }
  StepOutcome Step(int action) override {
    const double target = action - 1;
    const double change = std::abs(target - state_.local[0]);
    traded_ = change > 0;
    last_return_ = static_cast<double>(state_.row) * options_.mu + options_.sigma * random_->Normal();
    StepOutcome outcome;
    outcome.reward = target * last_return_ - options_.cost * change;
    state_.local[0] = static_cast<float>(target);
    if (random_->Uniform() >= options_.stay) state_.row = -state_.row;
    outcome.truncated = episode_steps_ > 0 && ++steps_ >= episode_steps_;
    return outcome;
  }
  std::string instrument() const override { return "synthetic"; }
  const Ledger* ledger() const override { return nullptr; }
  TradingView trading_view() const override { return {{-1, 0, 1}, last_return_}; }
  bool traded() const override { return traded_; }

 private:
  const SyntheticOptions options_;
  const Observations& observations_;
  const int64_t episode_steps_;
  RandomStream* random_ = nullptr;
  EnvState state_;
  int64_t steps_ = 0;
  double last_return_ = 0;
  bool traded_ = false;
};

class SyntheticSet final : public EnvironmentSet {
 public:
  explicit SyntheticSet(const SyntheticOptions& options) : options_(options) {}
  const ObservationSource& observations() const override { return observations_; }
  std::unique_ptr<Environment> MakeTraining() const override {
    return std::make_unique<SyntheticEnvironment>(options_, observations_, kEpisodeSteps);
  }
  int evaluation_count() const override { return 1; }
  std::unique_ptr<EvaluationEnvironment> MakeEvaluation(int) const override {
    return std::make_unique<SyntheticEnvironment>(options_, observations_, 0);
  }
  double reward_scale() const override { return 1; }
  std::string normaliser_json() const override { return "{}"; }

 private:
  const SyntheticOptions options_;
  const Observations observations_;
};

class SyntheticProvider final : public EnvironmentProvider {
 public:
  SyntheticProvider(SyntheticOptions options, double gamma) : options_(options), gamma_(gamma) {}
  int fold_count() const override { return 1; }
  FoldFacts fold(int) const override { return {"synthetic", 0, 0}; }
  absl::StatusOr<std::unique_ptr<EnvironmentSet>> MakeFold(int) override { return std::make_unique<SyntheticSet>(options_); }
  std::string data_fingerprint() const override { return ""; }
  std::string ingest_report() const override { return ""; }
  double bars_per_year() const override { return 1; }
  std::map<std::string, double> known_optimum() const override {
    const SyntheticOptimum optimum = OptimumOf(options_, gamma_);
    return {{"optimum_mean_reward", optimum.mean_reward}, {"optimum_trades", optimum.trade ? 1.0 : 0.0}};
  }

 private:
  const SyntheticOptions options_;
  const double gamma_;
};

}  // namespace

SyntheticOptimum OptimumOf(const SyntheticOptions& options, double gamma) {
  SyntheticOptimum optimum;
  const double flip = 1 - options.stay;
  optimum.value = options.mu / (1 - gamma) - options.cost - 2 * options.cost * gamma * flip / (1 - gamma);
  optimum.trade = optimum.value > 0;
  if (!optimum.trade) optimum.value = 0;
  // Each flip of the sign turns the position over, two units.
  if (optimum.trade) optimum.mean_reward = options.mu - 2 * options.cost * flip;
  return optimum;
}

absl::StatusOr<std::unique_ptr<EnvironmentProvider>> MakeSyntheticMarket(const Params& params, const data::OpenFile&) {
  SyntheticOptions options;
  ASSIGN_OR_RETURN(options.mu, params.Get<double>("synthetic.mu"));
  ASSIGN_OR_RETURN(options.sigma, params.Get<double>("synthetic.sigma"));
  ASSIGN_OR_RETURN(options.stay, params.Get<double>("synthetic.stay"));
  ASSIGN_OR_RETURN(options.cost, params.Get<double>("synthetic.cost"));
  ASSIGN_OR_RETURN(const double gamma, params.GetOr<double>("dqn.gamma", 0.99));
  return std::make_unique<SyntheticProvider>(options, gamma);
}

}  // namespace traind::worker::envs
