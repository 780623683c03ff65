// The report of a walk-forward: what the policy earned out of sample, beside simple rules run through the same environment.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/stats/sharpe_inference.h"
#include "worker/envs/ledger.h"

namespace traind::worker::rl {

struct FoldInfo {
  std::string name;  // "2003-01-02..2003-12-31"
  int64_t train_rows = 0;
  int64_t test_rows = 0;
};

// Ledgers of one way to trade: of each fold and instrument one.
struct Strategy {
  std::string name;  // "policy", "buy_and_hold", "flat", "random", "sign"
  std::vector<envs::Ledger> ledgers;
};

struct ReportInputs {
  double bars_per_year = 252;
  std::vector<FoldInfo> folds;
  Strategy policy;
  std::vector<Strategy> baselines;
  // Instrument → target position that the policy chose on the last bar's close.
  std::map<std::string, double> next_positions;
  // weights_sha256, config_sha256, data_fingerprint, seed, …
  std::map<std::string, std::string> facts;
};

struct Report {
  std::string json;           // report.json
  std::string positions_csv;  // of the policy: time, instrument, fold, position, fill, cost, equity
  std::string verdict;        // one sentence: was the best baseline beaten, and by how much
  bool beaten = false;
  stats::SharpeEstimate estimate;  // of the policy's stitched portfolio, per bar
};

// Pure: the same inputs give the same bytes. Members of report.json: verdict, bars_per_year, stitched, over_folds, actions, folds,
// next_positions, facts (docs/reference/report.md). A figure that is not defined is null.
Report BuildReport(const ReportInputs& inputs);

}  // namespace traind::worker::rl
