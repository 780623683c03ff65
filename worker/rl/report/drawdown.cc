#include "worker/rl/report/drawdown.h"

#include <algorithm>

namespace traind::worker::rl {

Drawdown MaxDrawdown(std::span<const double> returns) {
  Drawdown deepest;
  double equity = 1, peak = 1;
  int64_t bar = 0, peak_bar = 0;
  bool deepest_is_open = false;  // the fall from the present peak is the deepest so far
  for (const double value : returns) {
    ++bar;
    equity *= std::max(0.0, 1 + value);
    const double depth = 1 - equity / peak;
    if (depth > deepest.depth) {
      deepest.depth = depth;
      deepest_is_open = true;
    }
    if (deepest_is_open) deepest.bars = bar - peak_bar;
    if (equity < peak) continue;
    peak = equity;
    peak_bar = bar;
    deepest_is_open = false;
  }
  return deepest;
}

}  // namespace traind::worker::rl
