// The book-keeping of one pass over a test range: what the report is computed from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace traind::worker::envs {

// One bar, written when it has closed. The position was chosen on the previous bar's close and filled at this bar's open (or close,
// where there is no open).
struct LedgerRow {
  int64_t time_ns = 0;    // UTC, of this bar
  double position = 0;    // target weight held from the fill to this bar's close
  double fill_price = 0;  // 0 where nothing was traded
  double cost = 0;        // share of equity paid for the trade and for borrowing
  double turnover = 0;    // |change of weight| at the fill
  double net_return = 0;  // E_t / E_{t-1} - 1, costs inside
  double equity = 1;      // relative to the start of the fold
  bool operator==(const LedgerRow&) const = default;
};

struct Ledger {
  std::string instrument;
  int fold = 0;  // from 0
  std::vector<LedgerRow> rows;
};

}  // namespace traind::worker::envs
