#include "worker/rl/report/stitch.h"

#include <cmath>
#include <map>

namespace traind::worker::rl {

envs::Ledger StitchFolds(const std::vector<const envs::Ledger*>& folds) {
  envs::Ledger stitched;
  double equity = 1;
  for (const envs::Ledger* fold : folds) {
    stitched.instrument = fold->instrument;
    for (envs::LedgerRow row : fold->rows) {
      equity *= 1 + row.net_return;
      row.equity = equity;
      stitched.rows.push_back(row);
    }
  }
  return stitched;
}

envs::Ledger EqualWeight(const std::vector<const envs::Ledger*>& instruments) {
  struct Sum {
    envs::LedgerRow row;
    int count = 0;
  };
  std::map<int64_t, Sum> bars;
  for (const envs::Ledger* ledger : instruments) {
    for (const envs::LedgerRow& row : ledger->rows) {
      Sum& sum = bars[row.time_ns];
      sum.row.position += std::abs(row.position);
      sum.row.cost += row.cost;
      sum.row.turnover += row.turnover;
      sum.row.net_return += row.net_return;
      ++sum.count;
    }
  }
  envs::Ledger portfolio;
  portfolio.instrument = "equal_weight";
  double equity = 1;
  for (const auto& [time_ns, sum] : bars) {
    envs::LedgerRow row = sum.row;
    row.time_ns = time_ns;
    row.position /= sum.count;
    row.cost /= sum.count;
    row.turnover /= sum.count;
    row.net_return /= sum.count;
    equity *= 1 + row.net_return;
    row.equity = equity;
    portfolio.rows.push_back(row);
  }
  return portfolio;
}

}  // namespace traind::worker::rl
