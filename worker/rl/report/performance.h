// Figures of merit of a ledger; docs/reference/report.md has their equations. Sharpe: W. F. Sharpe, "The Sharpe ratio", 1994 (ddof 1, no
// risk-free rate). Sortino: F. A. Sortino and L. N. Price, 1994. CVaR: R. T. Rockafellar and S. Uryasev, 2000.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/stats/sharpe_inference.h"
#include "worker/envs/ledger.h"

namespace traind::worker::rl {

// A ratio whose denominator is 0, or that no double holds, is not there. "Per year" counts the ledger's bars, not the calendar.
struct Performance {
  int64_t bars = 0;
  double net_return = 0;                // E_T / E_0 - 1, costs inside; -1 after ruin
  std::optional<double> cagr;           // compound return per year
  double sharpe = 0;                    // per year; 0 where returns do not vary
  std::optional<double> sortino;        // per year; deviation below 0 over all bars; none without a losing bar
  double max_drawdown = 0;              // share of the peak, ≥ 0; the start is a peak
  int64_t max_drawdown_bars = 0;        // from that peak to the bar that is back at it, else to the end
  std::optional<double> calmar;         // cagr / max_drawdown; none without a drawdown
  double turnover = 0;                  // per year, one side: ½ of Σ |change of weight|, so that going in and out again is 1
  double cost_drag = 0;                 // per year, share of equity
  double exposure = 0;                  // mean |position|
  std::optional<double> hit_rate;       // share of winning bars among those that won or lost
  std::optional<double> profit_factor;  // sum of gains / sum of losses; none without a losing bar
  double cvar_5 = 0;                    // mean return of the worst 5 % of bars (rounded up), usually below 0
  stats::SharpeEstimate estimate;       // per bar
  double psr = .5;                      // probability that the true Sharpe ratio is above 0
};

// `bars_per_year` > 0. An empty ledger gives the values above.
Performance Measure(std::span<const envs::LedgerRow> rows, double bars_per_year);

}  // namespace traind::worker::rl
