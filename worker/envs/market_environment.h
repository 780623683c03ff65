// Trading one instrument bar by bar. The observation at bar t holds bars ≤ t; the action is a target position, filled at the open of t+1
// (its close where there is no open); the reward is log(E_{t+1} / E_t), costs inside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/data/folds.h"
#include "worker/envs/account.h"
#include "worker/envs/environment_set.h"
#include "worker/envs/market_tape.h"

namespace traind::worker::envs {

struct MarketOptions {
  std::vector<double> positions;  // ascending target weights, one per action
  std::vector<uint8_t> allowed;   // by the position limits, one per action
  CostOptions costs;
  double min_equity = 0.1;
  int64_t episode_length = 252;
  double bars_per_year = 252;
  int64_t window = 10;

  static absl::StatusOr<MarketOptions> FromParams(const Params& params);
};

// Observations of one fold: the window of normalised features that ends at the state's row, oldest bar first, then target weight, drifted
// weight, gain since the last trade in σ of a bar (±10), and bars held (1 at 100). float32 [window · features + 4].
class MarketObservations final : public ObservationSource {
 public:
  // `features`: float32 [tape rows, width].
  MarketObservations(std::vector<float> features, int64_t width, const MarketOptions& options);
  int64_t observation_size() const override { return options_.window * width_ + kLocal; }
  int num_actions() const override { return static_cast<int>(options_.positions.size()); }
  void Gather(std::span<const EnvState> states, std::span<float> out) const override;
  void ActionMask(const EnvState& state, std::span<uint8_t> allowed) const override;

 private:
  static constexpr int64_t kLocal = 4;
  const std::vector<float> features_;
  const int64_t width_;
  const MarketOptions options_;
};

// Tape rows [first, last]: the first decision is made at the close of `first`, the last bar traded is `last`.
struct TapeRun {
  int64_t first = 0;
  int64_t last = 0;
};

// What all environments of a fold share; everything is borrowed.
struct MarketContext {
  const MarketTape& tape;
  const MarketObservations& observations;
  const MarketOptions& options;
};

// Training: each episode starts at a random row of a random run, and is truncated after episode_length bars or at the end of its run.
// Evaluation: one pass over all runs of one instrument (two are apart by a gap that nothing may cross). Each run's book starts flat and
// ends flat: at its last close the position is given up, costs included, so that no fold's result leaves out a trade.
class MarketEnvironment final : public EvaluationEnvironment {
 public:
  static std::unique_ptr<MarketEnvironment> Training(const MarketContext& context, const std::vector<TapeRun>& runs);
  static std::unique_ptr<MarketEnvironment> Evaluation(const MarketContext& context, std::vector<TapeRun> runs, std::string instrument,
                                                       int fold);

  const ObservationSource& observations() const override { return context_.observations; }
  void Reset(RandomStream& random) override;
  EnvState state() const override;
  StepOutcome Step(int action) override;
  std::string instrument() const override { return ledger_.instrument; }
  const Ledger* ledger() const override { return &ledger_; }
  TradingView trading_view() const override;
  bool traded() const override { return traded_; }

 private:
  MarketEnvironment(const MarketContext& context, std::vector<TapeRun> runs, bool training);
  BarPrices PricesOf(int64_t row) const;
  void Record(const BarResult& result);
  // The rows of the test range that a ruined account can no longer trade: flat, of its last equity.
  void RecordRuin();
  // Sells what is held at the end of a run, into the last row of the books; the log return of it.
  double ClosePosition();
  // Moves an evaluation on to its next run; false if there is none.
  bool StartNextRun();

  const MarketContext context_;
  const std::vector<TapeRun> runs_;
  const bool training_;
  // Training: decisions before each run, so that every row is drawn with equal probability.
  std::vector<int64_t> starts_;
  size_t run_ = 0;
  int64_t row_ = 0;       // the bar that has closed
  int64_t last_row_ = 0;  // of the episode
  Account account_;
  Ledger ledger_;
  bool traded_ = false;
};

}  // namespace traind::worker::envs
