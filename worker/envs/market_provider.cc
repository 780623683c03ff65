#include "worker/envs/market_provider.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "worker/data/dataset.h"
#include "worker/data/folds.h"
#include "worker/data/normaliser.h"
#include "worker/envs/market_environment.h"
#include "worker/envs/market_tape.h"

namespace traind::worker::envs {
namespace {

absl::Status DataError(const std::string& message) { return WithCause(absl::InvalidArgumentError(message), FailureCause::kData); }

// The decisions that rows [range) allow, cut where a segment ends: a decision at row r trades bar r + 1. `decide_before`: the first
// decision may be made on the bar before the range, so that the first bar of a test range is traded too.
void AppendRuns(const MarketTape& tape, int64_t instrument_begin, data::RowRange range, int64_t history, bool decide_before,
                std::vector<TapeRun>& runs) {
  const int64_t first = decide_before ? std::max(instrument_begin, range.begin - 1) : range.begin;
  for (int64_t row = first; row + 1 < range.end;) {
    int64_t last = row;
    while (last + 1 < range.end && tape.segment[last + 1] == tape.segment[row]) ++last;
    // Rows too near to the start of their segment have no whole window behind them.
    const int64_t begin = row + std::max<int64_t>(0, history - tape.since_start[row]);
    if (begin < last) runs.push_back({begin, last});
    row = last + 1;
  }
}

struct FoldRuns {
  std::vector<TapeRun> training;
  std::vector<std::pair<size_t, std::vector<TapeRun>>> tests;  // instrument, runs
};

class MarketSet final : public EnvironmentSet {
 public:
  MarketSet(const MarketTape& tape, const MarketOptions& options, MarketObservations observations, FoldRuns runs, int fold,
            double reward_scale, std::string normaliser_json)
      : observations_(std::move(observations)),
        context_{tape, observations_, options},
        runs_(std::move(runs)),
        fold_(fold),
        reward_scale_(reward_scale),
        normaliser_json_(std::move(normaliser_json)) {}

  const ObservationSource& observations() const override { return observations_; }
  std::unique_ptr<Environment> MakeTraining() const override { return MarketEnvironment::Training(context_, runs_.training); }
  int evaluation_count() const override { return static_cast<int>(runs_.tests.size()); }
  std::unique_ptr<EvaluationEnvironment> MakeEvaluation(int index) const override {
    const auto& [instrument, runs] = runs_.tests[static_cast<size_t>(index)];
    return MarketEnvironment::Evaluation(context_, runs, context_.tape.instruments()[instrument].name, fold_);
  }
  double reward_scale() const override { return reward_scale_; }
  std::string normaliser_json() const override { return normaliser_json_; }

 private:
  const MarketObservations observations_;
  const MarketContext context_;
  const FoldRuns runs_;
  const int fold_;
  const double reward_scale_;
  const std::string normaliser_json_;
};

class MarketProvider final : public EnvironmentProvider {
 public:
  MarketProvider(MarketTape tape, MarketOptions options, std::vector<data::Fold> folds, data::IngestReport report)
      : tape_(std::move(tape)),
        options_(std::move(options)),
        calendar_(tape_.Calendar()),
        folds_(std::move(folds)),
        report_(std::move(report)) {}

  int fold_count() const override { return static_cast<int>(folds_.size()); }
  FoldFacts fold(int index) const override {
    const data::Fold& fold = folds_[static_cast<size_t>(index)];
    return {fold.name, fold.train_rows(), fold.test.size()};
  }

  absl::StatusOr<std::unique_ptr<EnvironmentSet>> MakeFold(int index) override {
    const data::Fold& fold = folds_[static_cast<size_t>(index)];
    const FoldRuns runs = RunsOf(fold);
    if (runs.training.empty() || runs.tests.empty()) return TooFewRows(fold, runs.training.empty());
    std::vector<std::string> names;
    std::vector<data::Normaliser> normalisers;
    std::vector<float> features;
    for (const TapeInstrument& instrument : tape_.instruments()) {
      normalisers.push_back(FitTo(instrument, fold));
      const std::vector<float> scaled = normalisers.back().Apply(instrument.features);
      features.insert(features.end(), scaled.begin(), scaled.end());
      names.push_back(instrument.name);
    }
    MarketObservations observations(std::move(features), tape_.feature_width(), options_);
    return std::make_unique<MarketSet>(tape_, options_, std::move(observations), runs, index, RewardScale(runs.training),
                                       data::NormalisersJson(names, tape_.instruments().front().features.names, normalisers));
  }

  std::string data_fingerprint() const override { return report_.fingerprint; }
  std::string ingest_report() const override { return report_.ToJson(); }
  double bars_per_year() const override { return options_.bars_per_year; }
  std::map<std::string, double> known_optimum() const override { return {}; }

 private:
  // Rows of the past that an observation needs before its own; at least one, which the volatility that slippage grows with needs.
  int64_t History(const TapeInstrument& instrument) const { return std::max<int64_t>(1, options_.window - 1 + instrument.features.warmup); }

  FoldRuns RunsOf(const data::Fold& fold) const {
    FoldRuns runs;
    for (size_t i = 0; i < tape_.instruments().size(); ++i) {
      const TapeInstrument& instrument = tape_.instruments()[i];
      for (const data::RowRange& range : fold.train) {
        AppendRuns(tape_, instrument.begin, tape_.RowsOf(instrument, calendar_, range), History(instrument), false, runs.training);
      }
      std::vector<TapeRun> test;
      AppendRuns(tape_, instrument.begin, tape_.RowsOf(instrument, calendar_, fold.test), History(instrument), true, test);
      if (!test.empty()) runs.tests.emplace_back(i, std::move(test));
    }
    return runs;
  }

  // Over what lies from the first to the last training row, the embargoed rows in between too (they are of the past), but for the rows
  // before the features' warm-up; of an instrument without any, over nothing: its features stay 0.
  data::Normaliser FitTo(const TapeInstrument& instrument, const data::Fold& fold) const {
    int64_t begin = instrument.end, end = instrument.begin;
    for (const data::RowRange& range : fold.train) {
      const data::RowRange rows = tape_.RowsOf(instrument, calendar_, range);
      if (rows.size() == 0) continue;
      begin = std::min(begin, rows.begin);
      end = std::max(end, rows.end);
    }
    begin = std::max(begin, instrument.begin + instrument.features.warmup);
    if (begin >= end)
      return data::Normaliser::Fit({instrument.features.names, std::vector<float>(instrument.features.names.size(), 0.0f), 0}, 0, 1);
    return data::Normaliser::Fit(instrument.features, begin - instrument.begin, end - instrument.begin);
  }

  // Standard deviation of holding over the training bars.
  double RewardScale(const std::vector<TapeRun>& runs) const {
    double sum = 0, squares = 0, count = 0;
    for (const TapeRun& run : runs) {
      for (int64_t row = run.first + 1; row <= run.last; ++row) {
        const double value = std::log(tape_.close[row] / tape_.close[row - 1]);
        sum += value;
        squares += value * value;
        ++count;
      }
    }
    const double variance = squares / count - (sum / count) * (sum / count);
    return variance > 1e-16 ? std::sqrt(variance) : 1;
  }

  absl::Status TooFewRows(const data::Fold& fold, bool training) const {
    return DataError(absl::StrCat("too few rows in the ", training ? "training" : "test", " range of fold ", fold.name, ": it has ",
                                  training ? fold.train_rows() : fold.test.size(), " bars, and the first ",
                                  History(tape_.instruments().front()), " of a series only feed windows and features (data.window ",
                                  options_.window, "); lengthen the range or shorten data.window"));
  }

  const MarketTape tape_;
  const MarketOptions options_;
  const std::vector<int64_t> calendar_;
  const std::vector<data::Fold> folds_;
  const data::IngestReport report_;
};

// For messages about all of the data together.
std::string FilesOf(const data::IngestReport& report) {
  std::vector<std::string> files;
  for (const data::InstrumentReport& instrument : report.instruments) files.push_back(instrument.file);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return absl::StrJoin(files, ", ");
}

}  // namespace

absl::StatusOr<std::unique_ptr<EnvironmentProvider>> MakeMarket(const Params& params, const data::OpenFile& open) {
  ASSIGN_OR_RETURN(MarketOptions options, MarketOptions::FromParams(params));
  ASSIGN_OR_RETURN(const data::FoldOptions fold_options, data::FoldOptions::FromParams(params));
  ASSIGN_OR_RETURN(const std::vector<std::string> wanted, params.Get<std::vector<std::string>>("data.features"));
  ASSIGN_OR_RETURN(data::Dataset dataset, data::LoadDataset(params, open));
  const data::FeatureChoice features = data::ChooseFeatures(wanted, dataset);
  if (features.kept.empty() && dataset.extra_names.empty()) {
    return FieldErrorsStatus({{"data.features", absl::StrCat("the data have no columns for ", absl::StrJoin(features.left_out, ", "),
                                                             "; choose return, volatility or calendar, or name data.feature_columns")}});
  }
  MarketTape tape = MarketTape::Build(dataset, features.kept);
  absl::StatusOr<std::vector<data::Fold>> folds = data::MakeFolds(tape.Calendar(), fold_options);
  if (!folds.ok()) return Annotate(folds.status(), FilesOf(dataset.report));
  data::IngestReport report = dataset.report;
  report.features = tape.instruments().front().features.names;
  report.features_left_out = features.left_out;
  report.folds = static_cast<int>(folds->size());
  auto provider = std::make_unique<MarketProvider>(std::move(tape), std::move(options), *std::move(folds), std::move(report));
  // Every fold is made once now: what is wrong with the last one is found before the first is trained.
  for (int fold = 0; fold < provider->fold_count(); ++fold) RETURN_IF_ERROR(provider->MakeFold(fold).status());
  return provider;
}

}  // namespace traind::worker::envs
