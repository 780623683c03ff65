#include "worker/rl/report/action_histogram.h"

#include <cstdint>

namespace traind::worker::rl {

std::map<double, double> ActionHistogram(const std::vector<const envs::Ledger*>& ledgers) {
  std::map<double, int64_t> counts;
  int64_t bars = 0;
  for (const envs::Ledger* ledger : ledgers) {
    for (const envs::LedgerRow& row : ledger->rows) {
      ++counts[row.position];
      ++bars;
    }
  }
  std::map<double, double> shares;
  for (const auto& [position, count] : counts) shares[position] = static_cast<double>(count) / static_cast<double>(bars);
  return shares;
}

}  // namespace traind::worker::rl
