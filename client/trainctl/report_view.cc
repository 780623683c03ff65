#include "client/trainctl/report_view.h"

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/trainctl/figure_table.h"
#include "client/trainctl/json_value.h"
#include "client/trainctl/table.h"
#include "client/trainctl/text.h"

namespace traind::client::trainctl {
namespace {

constexpr char kPolicy[] = "policy";
constexpr char kAll[] = "all";

std::string Title(const std::string& name) { return absl::StrReplaceAll(name, {{"_", " "}}); }

std::string StrategyTable(const Json& strategies) {
  std::vector<FigureColumn> columns;
  for (const std::string& name : MemberNames(strategies)) {
    columns.push_back({absl::AsciiStrToUpper(Title(name)), &At(strategies, {name})});
  }
  return FigureTable(columns);
}

// The policy's mean fold beside its worst.
std::string OverFolds(const Json& policy) {
  const Json& worst = At(policy, {"worst"});
  if (!worst.is_object()) return "";
  return absl::StrCat("Policy fold by fold, instruments at equal weight; the worst is fold ", CountAt(worst, {"fold"}), ", ",
                      TextAt(worst, {"name"}), "\n", FigureTable({{"MEAN FOLD", &At(policy, {"mean"})}, {"WORST FOLD", &worst}}), "\n");
}

// "-1 12.3 %, 0 30.1 %, 1 57.6 %".
std::string Shares(const Json& histogram) {
  std::string text;
  if (!histogram.is_array()) return text;
  for (const Json& bin : histogram) {
    const Json& position = At(bin, {"position"});
    if (!position.is_number()) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", absl::StrFormat("%g ", position.get<double>()), PercentAt(bin, {"share"}));
  }
  return text;
}

// Rows of the fold table: the policy's figures, then the baselines' net returns.
class FoldTable {
 public:
  explicit FoldTable(std::vector<std::string> baselines) : baselines_(std::move(baselines)), table_(Columns(baselines_)) {}

  void AddFold(const Json& fold) {
    const std::string number = CountAt(fold, {"fold"});
    const std::string range = TextAt(fold, {"name"});
    const Json& instruments = At(fold, {"instruments"});
    for (const std::string& name : MemberNames(instruments)) AddRow(number, range, name, At(instruments, {name}));
    if (MemberNames(instruments).size() != 1) AddRow(number, range, kAll, At(fold, {"equal_weight"}));
  }
  void AddStitched(const Json& instruments) {
    for (const std::string& name : MemberNames(instruments)) AddRow(kAll, "", name, At(instruments, {name}));
  }
  std::string Render() const { return table_.Render(2); }

 private:
  static std::vector<Column> Columns(const std::vector<std::string>& baselines) {
    std::vector<Column> columns = {
        {"FOLD", Align::kRight},        {"TEST RANGE"}, {"INSTRUMENT"}, {"POLICY", Align::kRight}, {"SHARPE", Align::kRight},
        {"MAX DRAWDOWN", Align::kRight}};
    for (const std::string& baseline : baselines) columns.push_back({absl::AsciiStrToUpper(Title(baseline)), Align::kRight});
    return columns;
  }
  void AddRow(const std::string& fold, const std::string& range, const std::string& instrument, const Json& strategies) {
    std::vector<std::string> cells = {fold,
                                      range,
                                      instrument,
                                      PercentAt(strategies, {kPolicy, "net_return"}),
                                      DecimalAt(strategies, {kPolicy, "sharpe"}),
                                      PercentAt(strategies, {kPolicy, "max_drawdown"})};
    for (const std::string& baseline : baselines_) cells.push_back(PercentAt(strategies, {baseline, "net_return"}));
    table_.AddRow(std::move(cells));
  }

  const std::vector<std::string> baselines_;
  Table table_;
};

std::string RenderFolds(const Json& folds, const Json& stitched) {
  std::vector<std::string> baselines = MemberNames(At(stitched, {"equal_weight"}));
  std::erase(baselines, kPolicy);
  FoldTable table(std::move(baselines));
  for (const Json& fold : folds) table.AddFold(fold);
  table.AddStitched(At(stitched, {"instruments"}));
  return table.Render();
}

std::string NextPositions(const Json& positions) {
  std::string text;
  for (const std::string& instrument : MemberNames(positions)) {
    const Json& position = At(positions, {instrument});
    if (!position.is_number()) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", Clean(instrument), " ", absl::StrFormat("%g", position.get<double>()));
  }
  return text;
}

// What the store has counted; nothing for a job that is no trial.
std::string DeflatedSharpe(const v1::Job& job) {
  double ratio = 0;
  int64_t trials = 0;
  const auto dsr = job.result().find("dsr"), counted = job.result().find("trials");
  if (dsr == job.result().end() || counted == job.result().end()) return "";
  if (!absl::SimpleAtod(dsr->second, &ratio) || !absl::SimpleAtoi(counted->second, &trials)) return "";
  return absl::StrFormat("Deflated Sharpe ratio %.2f after %s trial%s on these data", ratio, CountText(trials), trials == 1 ? "" : "s");
}

std::string Render(const Json& report, const v1::Job& job) {
  std::string text;
  const Json& stitched = At(report, {"stitched"});
  const Json& strategies = At(stitched, {"equal_weight"});
  if (strategies.is_object()) {
    absl::StrAppend(&text, "Out of sample, all folds, instruments at equal weight, costs included\n", StrategyTable(strategies), "\n");
  }
  absl::StrAppend(&text, OverFolds(At(report, {"over_folds", kPolicy})));
  const Json& folds = At(report, {"folds"});
  if (folds.is_array() && !folds.empty())
    absl::StrAppend(&text, "Net returns by fold and instrument\n", RenderFolds(folds, stitched), "\n");
  const std::string shares = Shares(At(report, {"actions", "all"}));
  if (!shares.empty()) absl::StrAppend(&text, "Positions held, by share of bars: ", shares, "\n");
  const std::string positions = NextPositions(At(report, {"next_positions"}));
  if (!positions.empty()) absl::StrAppend(&text, "Next positions: ", positions, "\n");
  const std::string deflated = DeflatedSharpe(job);
  if (!deflated.empty()) absl::StrAppend(&text, deflated, "\n");
  const std::string verdict = TextAt(report, {"verdict", "sentence"});
  return verdict.empty() ? text : absl::StrCat(text, "\n", verdict, "\n");
}

}  // namespace

absl::StatusOr<std::string> RenderReport(absl::string_view report_json, const v1::Job& job) {
  try {
    return Render(Json::parse(report_json.begin(), report_json.end()), job);
  } catch (const std::exception& error) {  // of nlohmann::json
    return absl::DataLossError(absl::StrCat("report.json cannot be read: ", error.what()));
  }
}

}  // namespace traind::client::trainctl
