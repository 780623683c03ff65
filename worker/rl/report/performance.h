// Figures of merit of a ledger. Definitions: W. F. Sharpe, "The Sharpe ratio", 1994 (ddof 1, no risk-free rate); drawdown as the
// largest fall from a running peak, the start included.
#pragma once

#include <cstdint>
#include <span>

#include "worker/envs/ledger.h"

namespace traind::worker::rl {

struct Performance {
  int64_t bars = 0;
  double net_return = 0;    // E_T / E_0 - 1, costs inside
  double sharpe = 0;        // per year; 0 where returns do not vary
  double max_drawdown = 0;  // share of the peak, ≥ 0
  double turnover = 0;      // per year, sum of |change of weight|, both sides
  double cost_drag = 0;     // per year, share of equity
};

// `bars_per_year` > 0. An empty ledger gives zeros.
Performance Measure(std::span<const envs::LedgerRow> rows, double bars_per_year);

}  // namespace traind::worker::rl
