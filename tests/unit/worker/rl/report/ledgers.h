// Ledgers for the report's tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "worker/envs/ledger.h"

namespace traind::worker::rl {

// Long all the time, one bar a nanosecond.
inline envs::Ledger MakeLedger(std::string instrument, int fold, int64_t first_time, std::vector<double> returns) {
  envs::Ledger ledger{std::move(instrument), fold, {}};
  for (size_t i = 0; i < returns.size(); ++i) {
    ledger.rows.push_back({.time_ns = first_time + static_cast<int64_t>(i), .position = 1, .net_return = returns[i]});
  }
  return ledger;
}

}  // namespace traind::worker::rl
