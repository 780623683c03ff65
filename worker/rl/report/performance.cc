#include "worker/rl/report/performance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "worker/rl/report/drawdown.h"

namespace traind::worker::rl {
namespace {

// None for what division by zero or overflow has made.
std::optional<double> IfFinite(double value) { return std::isfinite(value) ? std::optional<double>(value) : std::nullopt; }

// Expected shortfall: the mean of the worst twentieth.
double Cvar5(std::vector<double> returns) {
  const auto worst = returns.begin() + static_cast<std::ptrdiff_t>((returns.size() + 19) / 20);
  std::partial_sort(returns.begin(), worst, returns.end());
  double sum = 0;
  for (auto value = returns.begin(); value != worst; ++value) sum += *value;
  return sum / static_cast<double>(worst - returns.begin());
}

// What depends on gains and losses apart.
void MeasureTails(const std::vector<double>& returns, double bars_per_year, Performance& result) {
  double gains = 0, losses = 0, squared_losses = 0;
  int64_t winning = 0, losing = 0;
  for (const double value : returns) {
    gains += std::max(0.0, value);
    losses += std::max(0.0, -value);
    squared_losses += std::pow(std::min(0.0, value), 2);
    winning += value > 0 ? 1 : 0;
    losing += value < 0 ? 1 : 0;
  }
  const auto bars = static_cast<double>(returns.size());
  result.sortino = IfFinite(std::sqrt(bars_per_year) * (gains - losses) / bars / std::sqrt(squared_losses / bars));
  result.hit_rate = IfFinite(static_cast<double>(winning) / static_cast<double>(winning + losing));
  result.profit_factor = IfFinite(gains / losses);
  result.cvar_5 = Cvar5(returns);
}

}  // namespace

Performance Measure(std::span<const envs::LedgerRow> rows, double bars_per_year) {
  Performance result;
  if (rows.empty()) return result;
  std::vector<double> returns;
  double equity = 1, sum_turnover = 0, sum_cost = 0, sum_exposure = 0;
  for (const envs::LedgerRow& row : rows) {
    returns.push_back(row.net_return);
    // Who has lost everything has nothing to win it back with.
    equity *= std::max(0.0, 1 + row.net_return);
    sum_turnover += row.turnover;
    sum_cost += row.cost;
    sum_exposure += std::abs(row.position);
  }
  const auto bars = static_cast<double>(rows.size());
  result.bars = static_cast<int64_t>(rows.size());
  result.net_return = equity - 1;
  result.cagr = IfFinite(std::pow(equity, bars_per_year / bars) - 1);
  result.turnover = bars_per_year * sum_turnover / bars / 2;
  result.cost_drag = bars_per_year * sum_cost / bars;
  result.exposure = sum_exposure / bars;
  const Drawdown drawdown = MaxDrawdown(returns);
  result.max_drawdown = drawdown.depth;
  result.max_drawdown_bars = drawdown.bars;
  if (result.cagr.has_value()) result.calmar = IfFinite(*result.cagr / drawdown.depth);
  result.estimate = stats::EstimateSharpe(returns);
  result.sharpe = std::sqrt(bars_per_year) * result.estimate.sharpe;
  result.psr = stats::ProbabilisticSharpeRatio(result.estimate, 0);
  MeasureTails(returns, bars_per_year, result);
  return result;
}

}  // namespace traind::worker::rl
