// The largest fall of an equity curve from a running peak.
#pragma once

#include <cstdint>
#include <span>

namespace traind::worker::rl {

struct Drawdown {
  double depth = 0;  // max over t of 1 - E_t / max over s ≤ t of E_s; in [0, 1]
  // Length of the deepest one (of the first, where two are as deep): bars from its peak to the first that is back at it, else to the
  // last.
  int64_t bars = 0;
};

// Of returns per bar; the curve starts at 1, which counts as a peak.
Drawdown MaxDrawdown(std::span<const double> returns);

}  // namespace traind::worker::rl
