#include "worker/envs/account.h"

#include <algorithm>
#include <cmath>

namespace traind::worker::envs {
namespace {

// A leveraged or short position can lose more than there is; the books then say that next to nothing is left, not less.
constexpr double kLeastFactor = 1e-6;

}  // namespace

void Account::Move(double factor) {
  const double growth = std::max(kLeastFactor, 1 + weight_ * (factor - 1));
  equity_ *= growth;
  weight_ = weight_ * factor / growth;
}

void Account::Trade(double target, double volatility, BarResult& result) {
  const double change = std::abs(target - weight_);
  const double rate = costs_.per_trade + costs_.slippage * volatility * std::sqrt(change);
  const double cost = std::min(rate * change, 1 - kLeastFactor);
  equity_ *= 1 - cost;
  weight_ = target;
  target_ = target;
  entry_equity_ = equity_;
  bars_held_ = 0;
  result.cost += cost;
  result.turnover += change;
  result.traded = true;
}

BarResult Account::Advance(double target, const BarPrices& prices) {
  BarResult result;
  const double before = equity_;
  Move(prices.fill / prices.previous_close);
  if (target != target_) Trade(target, prices.volatility, result);
  Move(prices.close / prices.fill);
  if (weight_ < 0 && costs_.borrow_per_bar > 0) {
    const double borrow = std::min(costs_.borrow_per_bar * -weight_, 1 - kLeastFactor);
    equity_ *= 1 - borrow;
    weight_ /= 1 - borrow;  // the quantity stays, of less equity
    result.cost += borrow;
  }
  ++bars_held_;
  result.log_return = std::log(equity_ / before);
  return result;
}

BarResult Account::Close(double volatility) {
  BarResult result;
  const double before = equity_;
  if (weight_ != 0) Trade(0, volatility, result);
  result.log_return = std::log(equity_ / before);
  return result;
}

double Account::unrealised() const { return std::log(equity_ / entry_equity_); }

}  // namespace traind::worker::envs
