// The money of one position, exact: Σ log growth of every bar is the log of the equity at the end over that at the start.
//
// A position is a share of equity (weight). Between trades the quantity stays and the weight drifts with prices. A trade happens when the
// target changes, and only then: at the fill the weight becomes the target, and the costs of |change of weight| are taken from equity.
#pragma once

namespace traind::worker::envs {

struct CostOptions {
  double per_trade = 0;       // share of the traded value: commission and half spread
  double slippage = 0;        // k of k·σ·sqrt(|Δw|), times the traded value
  double borrow_per_bar = 0;  // share of a short position's value
};

// Prices of one bar as the position goes through it.
struct BarPrices {
  double previous_close = 0;
  double fill = 0;  // the open, or the close where there is no open
  double close = 0;
  double volatility = 0;  // σ of a bar, known when the decision was made
};

struct BarResult {
  double log_return = 0;  // log(E_close / E_previous_close), costs inside
  double cost = 0;        // share of the equity before it
  double turnover = 0;    // |change of weight| at the fill
  bool traded = false;
};

// Equity starts at 1, flat. Thread-compatible.
class Account {
 public:
  explicit Account(const CostOptions& costs) : costs_(costs) {}

  // Goes through one bar, with a trade to `target` at its fill if that is another target than now.
  BarResult Advance(double target, const BarPrices& prices);
  // Gives the position up at the close of the bar that has just ended.
  BarResult Close(double volatility);

  double equity() const { return equity_; }
  double weight() const { return weight_; }  // drifted
  double target() const { return target_; }
  // log equity gained since the last trade.
  double unrealised() const;
  int bars_held() const { return bars_held_; }

 private:
  // Moves prices by `factor` with the quantity unchanged.
  void Move(double factor);
  // Trades to `target` and adds what it cost to `result`.
  void Trade(double target, double volatility, BarResult& result);

  CostOptions costs_;
  double equity_ = 1;
  double weight_ = 0;
  double target_ = 0;
  double entry_equity_ = 1;
  int bars_held_ = 0;
};

}  // namespace traind::worker::envs
