#include "worker/envs/market_environment.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace traind::worker::envs {
namespace {

constexpr float kClip = 10;
constexpr float kHeldScale = 100;
// Below it a market does not move, and gains are not measured by its moves.
constexpr double kLeastVolatility = 1e-8;

}  // namespace

MarketObservations::MarketObservations(std::vector<float> features, int64_t width, const MarketOptions& options)
    : features_(std::move(features)), width_(width), options_(options) {}

void MarketObservations::Gather(std::span<const EnvState> states, std::span<float> out) const {
  const auto window = static_cast<size_t>(options_.window * width_);
  float* target = out.data();
  for (const EnvState& state : states) {
    // The rows of a window follow one another in memory.
    std::memcpy(target, features_.data() + (state.row - options_.window + 1) * width_, window * sizeof(float));
    std::memcpy(target + window, state.local.data(), kLocal * sizeof(float));
    target += window + kLocal;
  }
}

void MarketObservations::ActionMask(const EnvState&, std::span<uint8_t> allowed) const {
  std::copy(options_.allowed.begin(), options_.allowed.end(), allowed.begin());
}

std::unique_ptr<MarketEnvironment> MarketEnvironment::Training(const MarketContext& context, const std::vector<TapeRun>& runs) {
  return std::unique_ptr<MarketEnvironment>(new MarketEnvironment(context, runs, true));
}

std::unique_ptr<MarketEnvironment> MarketEnvironment::Evaluation(const MarketContext& context, std::vector<TapeRun> runs,
                                                                 std::string instrument, int fold) {
  std::unique_ptr<MarketEnvironment> environment(new MarketEnvironment(context, std::move(runs), false));
  environment->ledger_.instrument = std::move(instrument);
  environment->ledger_.fold = fold;
  return environment;
}

MarketEnvironment::MarketEnvironment(const MarketContext& context, std::vector<TapeRun> runs, bool training)
    : context_(context), runs_(std::move(runs)), training_(training), account_(context.options.costs) {
  int64_t decisions = 0;
  for (const TapeRun& run : runs_) {
    starts_.push_back(decisions);
    decisions += run.last - run.first;
  }
  starts_.push_back(decisions);
}

void MarketEnvironment::Reset(RandomStream& random) {
  account_ = Account(context_.options.costs);
  ledger_.rows.clear();
  traded_ = false;
  run_ = 0;
  row_ = runs_.front().first;
  if (training_) {
    const auto draw = static_cast<int64_t>(random.UniformInt(static_cast<uint64_t>(starts_.back())));
    run_ = static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), draw) - starts_.begin() - 1);
    row_ = runs_[run_].first + draw - starts_[run_];
  }
  last_row_ = runs_[run_].last;
  if (training_) last_row_ = std::min(last_row_, row_ + context_.options.episode_length);
}

EnvState MarketEnvironment::state() const {
  const double volatility = std::max(kLeastVolatility, context_.tape.volatility[row_]);
  EnvState state;
  state.row = row_;
  state.local = {static_cast<float>(account_.target()), static_cast<float>(account_.weight()),
                 std::clamp(static_cast<float>(account_.unrealised() / volatility), -kClip, kClip),
                 std::min(static_cast<float>(account_.bars_held()) / kHeldScale, 1.0f)};
  return state;
}

BarPrices MarketEnvironment::PricesOf(int64_t row) const {
  const MarketTape& tape = context_.tape;
  return {tape.close[row - 1], tape.open[row], tape.close[row], tape.volatility[row - 1]};
}

StepOutcome MarketEnvironment::Step(int action) {
  ++row_;
  const BarResult result = account_.Advance(context_.options.positions[static_cast<size_t>(action)], PricesOf(row_));
  traded_ = result.traded;
  if (!training_) Record(result);
  StepOutcome outcome;
  outcome.reward = result.log_return;
  outcome.terminated = account_.equity() < context_.options.min_equity;
  if (outcome.terminated && !training_) RecordRuin();
  if (outcome.terminated || row_ < last_row_) return outcome;
  if (!training_) outcome.reward += ClosePosition();
  outcome.truncated = training_ || !StartNextRun();
  return outcome;
}

void MarketEnvironment::Record(const BarResult& result) {
  LedgerRow row;
  row.time_ns = context_.tape.time_ns[row_];
  row.position = account_.target();
  row.fill_price = result.traded ? context_.tape.open[row_] : 0;
  row.cost = result.cost;
  row.turnover = result.turnover;
  row.net_return = std::expm1(result.log_return);
  row.equity = account_.equity();
  ledger_.rows.push_back(row);
}

void MarketEnvironment::RecordRuin() {
  LedgerRow row;
  row.equity = account_.equity();
  int64_t next = row_ + 1;
  for (size_t run = run_;;) {
    for (; next <= runs_[run].last; ++next) {
      row.time_ns = context_.tape.time_ns[next];
      ledger_.rows.push_back(row);
    }
    if (++run >= runs_.size()) return;
    next = runs_[run].first + 1;
  }
}

double MarketEnvironment::ClosePosition() {
  const BarResult closing = account_.Close(context_.tape.volatility[row_]);
  LedgerRow& last = ledger_.rows.back();
  last.cost += closing.cost;
  last.turnover += closing.turnover;
  last.net_return = (1 + last.net_return) * std::exp(closing.log_return) - 1;
  last.equity = account_.equity();
  return closing.log_return;
}

bool MarketEnvironment::StartNextRun() {
  if (run_ + 1 >= runs_.size()) return false;
  ++run_;
  row_ = runs_[run_].first;
  last_row_ = runs_[run_].last;
  return true;
}

TradingView MarketEnvironment::trading_view() const {
  TradingView view;
  view.targets = context_.options.positions;
  if (context_.tape.since_start[row_] > 0) view.last_return = std::log(context_.tape.close[row_] / context_.tape.close[row_ - 1]);
  return view;
}

}  // namespace traind::worker::envs
