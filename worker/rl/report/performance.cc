#include "worker/rl/report/performance.h"

#include <algorithm>
#include <cmath>

namespace traind::worker::rl {
namespace {

double Sharpe(std::span<const envs::LedgerRow> rows, double mean_return, double bars_per_year) {
  if (rows.size() < 2) return 0;
  double squares = 0;
  for (const envs::LedgerRow& row : rows) squares += (row.net_return - mean_return) * (row.net_return - mean_return);
  const double deviation = std::sqrt(squares / static_cast<double>(rows.size() - 1));
  // Constant returns leave rounding noise, which must not be divided by.
  constexpr double kNoVariation = 1e-12;
  return deviation > kNoVariation ? std::sqrt(bars_per_year) * mean_return / deviation : 0;
}

}  // namespace

Performance Measure(std::span<const envs::LedgerRow> rows, double bars_per_year) {
  Performance result;
  if (rows.empty()) return result;
  double equity = 1, peak = 1, sum_return = 0, sum_turnover = 0, sum_cost = 0;
  for (const envs::LedgerRow& row : rows) {
    equity *= 1 + row.net_return;
    peak = std::max(peak, equity);
    result.max_drawdown = std::max(result.max_drawdown, 1 - equity / peak);
    sum_return += row.net_return;
    sum_turnover += row.turnover;
    sum_cost += row.cost;
  }
  const auto bars = static_cast<double>(rows.size());
  result.bars = static_cast<int64_t>(rows.size());
  result.net_return = equity - 1;
  result.sharpe = Sharpe(rows, sum_return / bars, bars_per_year);
  result.turnover = bars_per_year * sum_turnover / bars;
  result.cost_drag = bars_per_year * sum_cost / bars;
  return result;
}

}  // namespace traind::worker::rl
