#include "worker/rl/report/report.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "worker/rl/report/action_histogram.h"
#include "worker/rl/report/figures.h"
#include "worker/rl/report/performance.h"
#include "worker/rl/report/stitch.h"
#include "worker/rl/report/verdict.h"

namespace traind::worker::rl {
namespace {

using Json = nlohmann::ordered_json;
using LedgerPtrs = std::vector<const envs::Ledger*>;

Json ToJson(const std::vector<Figure>& figures) {
  Json json = Json::object();
  for (const Figure& figure : figures) json[figure.name] = figure.value.has_value() ? Json(*figure.value) : Json(nullptr);
  return json;
}

Json ToJson(const Performance& performance) {
  Json json = ToJson(FiguresOf(performance));
  // Counts, where they are not means, are whole numbers.
  json["bars"] = performance.bars;
  json["max_drawdown_bars"] = performance.max_drawdown_bars;
  return json;
}

// The strategies in the order in which they are shown: the policy first.
std::vector<const Strategy*> Strategies(const ReportInputs& inputs) {
  std::vector<const Strategy*> all = {&inputs.policy};
  for (const Strategy& baseline : inputs.baselines) all.push_back(&baseline);
  return all;
}

std::vector<std::string> Instruments(const ReportInputs& inputs) {
  std::set<std::string> names;
  for (const envs::Ledger& ledger : inputs.policy.ledgers) names.insert(ledger.instrument);
  return {names.begin(), names.end()};
}

// An empty instrument or a fold below 0 matches all.
LedgerPtrs Select(const Strategy& strategy, const std::string& instrument, int fold) {
  LedgerPtrs selected;
  for (const envs::Ledger& ledger : strategy.ledgers) {
    if ((instrument.empty() || ledger.instrument == instrument) && (fold < 0 || ledger.fold == fold)) selected.push_back(&ledger);
  }
  return selected;
}

// The portfolio of a strategy over all its folds.
envs::Ledger StitchedPortfolio(const ReportInputs& inputs, const Strategy& strategy) {
  std::vector<envs::Ledger> stitched;
  for (const std::string& instrument : Instruments(inputs)) stitched.push_back(StitchFolds(Select(strategy, instrument, -1)));
  LedgerPtrs pointers;
  for (const envs::Ledger& ledger : stitched) pointers.push_back(&ledger);
  return EqualWeight(pointers);
}

Performance MeasureStitched(const ReportInputs& inputs, const Strategy& strategy) {
  return Measure(StitchedPortfolio(inputs, strategy).rows, inputs.bars_per_year);
}

Performance MeasureFold(const ReportInputs& inputs, const Strategy& strategy, int fold) {
  return Measure(EqualWeight(Select(strategy, "", fold)).rows, inputs.bars_per_year);
}

Json FoldJson(const ReportInputs& inputs, int fold) {
  const FoldInfo& info = inputs.folds[fold];
  Json json = {{"fold", fold + 1}, {"name", info.name}, {"train_rows", info.train_rows}, {"test_rows", info.test_rows}};
  for (const Strategy* strategy : Strategies(inputs)) {
    json["equal_weight"][strategy->name] = ToJson(MeasureFold(inputs, *strategy, fold));
    for (const envs::Ledger* ledger : Select(*strategy, "", fold)) {
      json["instruments"][ledger->instrument][strategy->name] = ToJson(Measure(ledger->rows, inputs.bars_per_year));
    }
  }
  return json;
}

// The mean fold and the one with the lowest net return.
Json OverFoldsJson(const ReportInputs& inputs) {
  Json json = Json::object();
  for (const Strategy* strategy : Strategies(inputs)) {
    std::vector<Performance> folds;
    for (int fold = 0; fold < static_cast<int>(inputs.folds.size()); ++fold) folds.push_back(MeasureFold(inputs, *strategy, fold));
    if (folds.empty()) continue;
    const auto worst =
        std::min_element(folds.begin(), folds.end(), [](const auto& a, const auto& b) { return a.net_return < b.net_return; });
    const auto index = worst - folds.begin();
    Json worst_json = {{"fold", index + 1}, {"name", inputs.folds[static_cast<size_t>(index)].name}};
    worst_json.update(ToJson(*worst));
    json[strategy->name] = {{"mean", ToJson(MeanFigures(folds))}, {"worst", std::move(worst_json)}};
  }
  return json;
}

Json HistogramJson(const LedgerPtrs& ledgers) {
  Json json = Json::array();
  for (const auto& [position, share] : ActionHistogram(ledgers)) json.push_back({{"position", position}, {"share", share}});
  return json;
}

Json ActionsJson(const ReportInputs& inputs) {
  Json json = {{"all", HistogramJson(Select(inputs.policy, "", -1))}, {"instruments", Json::object()}};
  for (const std::string& instrument : Instruments(inputs)) {
    json["instruments"][instrument] = HistogramJson(Select(inputs.policy, instrument, -1));
  }
  return json;
}

Json StitchedJson(const ReportInputs& inputs) {
  Json json;
  for (const Strategy* strategy : Strategies(inputs)) {
    json["equal_weight"][strategy->name] = ToJson(MeasureStitched(inputs, *strategy));
    for (const std::string& instrument : Instruments(inputs)) {
      const envs::Ledger ledger = StitchFolds(Select(*strategy, instrument, -1));
      json["instruments"][instrument][strategy->name] = ToJson(Measure(ledger.rows, inputs.bars_per_year));
    }
  }
  return json;
}

Verdict JudgeStitched(const ReportInputs& inputs, const Performance& policy) {
  std::vector<NamedPerformance> baselines;
  for (const Strategy& baseline : inputs.baselines) baselines.push_back({baseline.name, MeasureStitched(inputs, baseline)});
  return Judge(policy, baselines);
}

// A field of RFC 4180.
std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string PositionsCsv(const ReportInputs& inputs) {
  std::string csv = "time,instrument,fold,position,fill,cost,equity\n";
  for (const envs::Ledger& ledger : inputs.policy.ledgers) {
    for (const envs::LedgerRow& row : ledger.rows) {
      absl::StrAppendFormat(&csv, "%s,%s,%d,%.6g,%s,%.9g,%.9g\n",
                            absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", absl::FromUnixNanos(row.time_ns), absl::UTCTimeZone()),
                            Quoted(ledger.instrument), ledger.fold + 1, row.position,
                            row.fill_price > 0 ? absl::StrFormat("%.10g", row.fill_price) : "", row.cost, row.equity);
    }
  }
  return csv;
}

}  // namespace

Report BuildReport(const ReportInputs& inputs) {
  const Performance policy = MeasureStitched(inputs, inputs.policy);
  const Verdict verdict = JudgeStitched(inputs, policy);
  Json json;
  json["verdict"] = {
      {"sentence", verdict.sentence}, {"beaten", verdict.beaten}, {"best_baseline", verdict.best_baseline}, {"margin", verdict.margin}};
  json["bars_per_year"] = inputs.bars_per_year;
  json["stitched"] = StitchedJson(inputs);
  json["over_folds"] = OverFoldsJson(inputs);
  json["actions"] = ActionsJson(inputs);
  json["folds"] = Json::array();
  for (int fold = 0; fold < static_cast<int>(inputs.folds.size()); ++fold) json["folds"].push_back(FoldJson(inputs, fold));
  json["next_positions"] = inputs.next_positions;
  json["facts"] = inputs.facts;
  return {json.dump(2) + "\n", PositionsCsv(inputs), verdict.sentence, verdict.beaten, policy.estimate};
}

}  // namespace traind::worker::rl
