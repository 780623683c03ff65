// The environments of a job: one set per fold, with a training environment and one evaluation pass per instrument.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/params.h"
#include "worker/data/open_file.h"
#include "worker/envs/environment.h"
#include "worker/envs/ledger.h"

namespace traind::worker::envs {

// What simple rules need to trade beside the policy.
struct TradingView {
  std::vector<double> targets;  // target position of each action
  double last_return = 0;       // log return of the bar that has just closed
};

// One pass over a test range, keeping books. An environment without prices keeps none.
class EvaluationEnvironment : public Environment {
 public:
  virtual std::string instrument() const = 0;
  // Null without prices; grows with each step.
  virtual const Ledger* ledger() const = 0;
  virtual TradingView trading_view() const = 0;
  // The position was changed by the last step.
  virtual bool traded() const = 0;
};

// Environments of one fold. Thread-compatible; outlives the environments it made.
class EnvironmentSet {
 public:
  virtual ~EnvironmentSet() = default;
  virtual const ObservationSource& observations() const = 0;
  // Episodes start at random within the training range.
  virtual std::unique_ptr<Environment> MakeTraining() const = 0;
  virtual int evaluation_count() const = 0;
  virtual std::unique_ptr<EvaluationEnvironment> MakeEvaluation(int index) const = 0;
  // Size of a typical reward; trainers divide by it.
  virtual double reward_scale() const = 0;
  virtual std::string normaliser_json() const = 0;
};

struct FoldFacts {
  std::string name;
  int64_t train_rows = 0;
  int64_t test_rows = 0;
};

// All folds of a job. Used from one thread.
class EnvironmentProvider {
 public:
  virtual ~EnvironmentProvider() = default;
  virtual int fold_count() const = 0;
  virtual FoldFacts fold(int index) const = 0;
  virtual absl::StatusOr<std::unique_ptr<EnvironmentSet>> MakeFold(int index) = 0;
  // Of what was read: hex; empty for an environment without data.
  virtual std::string data_fingerprint() const = 0;
  // The artifact ingest.json; empty for an environment without data.
  virtual std::string ingest_report() const = 0;
  virtual double bars_per_year() const = 0;
  // Facts known without running, such as the optimum of a synthetic environment: name → value.
  virtual std::map<std::string, double> known_optimum() const = 0;
};

}  // namespace traind::worker::envs
