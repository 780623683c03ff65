// Small markets written as CSV files, one bar a day from 2020-01-01, and folds cut from them by numbers of bars.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "common/base/rng.h"
#include "tests/testing/temp_dir.h"
#include "tests/unit/worker/job_params.h"
#include "worker/envs/env_list.h"

namespace traind::worker::envs {

struct TestBar {
  double open = 0;
  double close = 0;
  double extra = 0;
  int64_t days_after = 1;  // since the bar before
};

// Closes of a random walk with `sigma` a bar; each opens where the one before closed, moved by a tenth of that.
inline std::vector<TestBar> RandomWalk(int64_t rows, double sigma, uint64_t seed) {
  RandomStream random(seed, 0, "walk");
  std::vector<TestBar> bars;
  double price = 100;
  for (int64_t t = 0; t < rows; ++t) {
    TestBar bar;
    bar.open = price * std::exp(.1 * sigma * random.Normal());
    price *= std::exp(sigma * random.Normal());
    bar.close = price;
    bars.push_back(bar);
  }
  return bars;
}

inline std::string ToCsv(const std::vector<TestBar>& bars) {
  std::string csv = "Date,Open,High,Low,Close,Volume,extra\n";
  absl::CivilDay day(2020, 1, 1);
  for (const TestBar& bar : bars) {
    absl::StrAppendFormat(&csv, "%s,%.17g,%.17g,%.17g,%.17g,1000,%.17g\n", absl::FormatCivilTime(day), bar.open,
                          std::max(bar.open, bar.close), std::min(bar.open, bar.close), bar.close, bar.extra);
    day += bar.days_after;
  }
  return csv;
}

// One fold: `train` bars, a purge of 5, then `test` bars. Costs 5 bp, window 10.
inline Params OneFold(int64_t train, int64_t test) {
  Params params = MarketParams("market.csv");
  params.Set("walk_forward.train", absl::StrCat(train), false);
  params.Set("walk_forward.test", absl::StrCat(test), false);
  params.Set("walk_forward.max_folds", int64_t{1}, false);
  return params;
}

// A provider over bars, and the environments of its first fold.
struct Market {
  Market(const std::vector<TestBar>& bars, const Params& params) {
    folder.Write("market.csv", ToCsv(bars));
    auto made = MakeEnvironments(params, OpenBelow(folder.path().string()));
    status = made.status();
    if (!made.ok()) return;
    provider = *std::move(made);
    fold = *provider->MakeFold(0);
  }

  testing::TempDir folder;
  absl::Status status;
  std::unique_ptr<EnvironmentProvider> provider;
  std::unique_ptr<EnvironmentSet> fold;
};

// What a pass over the test range saw and earned.
struct Walk {
  std::vector<std::vector<float>> observations;
  std::vector<double> rewards;
  Ledger ledger;
  StepOutcome last;
};

// Takes the action that `act(step)` names until the pass ends.
template <typename Act>
Walk WalkThrough(const EnvironmentSet& fold, Act act) {
  Walk walk;
  RandomStream random(1, 0, "test");
  const auto environment = fold.MakeEvaluation(0);
  environment->Reset(random);
  do {
    const EnvState state = environment->state();
    std::vector<float> observation(static_cast<size_t>(fold.observations().observation_size()));
    fold.observations().Gather({&state, 1}, observation);
    walk.observations.push_back(std::move(observation));
    walk.last = environment->Step(act(static_cast<int64_t>(walk.rewards.size())));
    walk.rewards.push_back(walk.last.reward);
  } while (!walk.last.ended());
  walk.ledger = *environment->ledger();
  return walk;
}

}  // namespace traind::worker::envs
