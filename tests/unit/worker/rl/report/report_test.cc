#include "worker/rl/report/report.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/unit/worker/rl/report/ledgers.h"
#include "worker/rl/report/action_histogram.h"
#include "worker/rl/report/figures.h"
#include "worker/rl/report/performance.h"
#include "worker/rl/report/stitch.h"
#include "worker/rl/report/verdict.h"

namespace traind::worker::rl {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Stitch, EquityGoesOnOverFolds) {
  const envs::Ledger first = MakeLedger("A", 0, 0, {.5});
  const envs::Ledger second = MakeLedger("A", 1, 10, {.2});
  const envs::Ledger stitched = StitchFolds({&first, &second});
  ASSERT_EQ(stitched.rows.size(), 2u);
  EXPECT_NEAR(stitched.rows[1].equity, 1.8, 1e-12);
}

// An instrument that lacks a bar does not pull the mean to zero.
TEST(Stitch, EqualWeightIsTheMeanOfTheInstrumentsPresent) {
  const envs::Ledger a = MakeLedger("A", 0, 0, {.1, .3});
  const envs::Ledger b = MakeLedger("B", 0, 0, {.3});
  const envs::Ledger portfolio = EqualWeight({&a, &b});
  ASSERT_EQ(portfolio.rows.size(), 2u);
  EXPECT_NEAR(portfolio.rows[0].net_return, .2, 1e-12);
  EXPECT_NEAR(portfolio.rows[1].net_return, .3, 1e-12);
  EXPECT_NEAR(portfolio.rows[1].equity, 1.56, 1e-12);
}

TEST(Stitch, ALongAndAShortAreBothInvested) {
  envs::Ledger a = MakeLedger("A", 0, 0, {0}), b = MakeLedger("B", 0, 0, {0});
  b.rows[0].position = -.5;
  EXPECT_NEAR(Measure(EqualWeight({&a, &b}).rows, 252).exposure, .75, 1e-12);
}

TEST(Figures, MeansAreOverWhereTheyAreDefined) {
  Performance a, b;
  a.net_return = .1;
  b.net_return = .3;
  b.sortino = 2;
  const std::vector<Figure> means = MeanFigures({a, b});
  ASSERT_EQ(means.size(), FiguresOf(a).size());
  std::map<std::string, std::optional<double>> by_name;
  for (const Figure& figure : means) by_name[figure.name] = figure.value;
  EXPECT_NEAR(*by_name.at("net_return"), .2, 1e-12);
  EXPECT_NEAR(*by_name.at("sortino"), 2, 1e-12);
  EXPECT_FALSE(by_name.at("calmar").has_value());
}

// Positions 1, 1, 0, −.5 and 0 of five bars.
TEST(ActionHistogram, CountsBarsOfAllLedgers) {
  envs::Ledger a = MakeLedger("A", 0, 0, {0, 0, 0}), b = MakeLedger("B", 0, 0, {0, 0});
  a.rows[2].position = 0;
  b.rows[0].position = -.5;
  b.rows[1].position = 0;
  EXPECT_EQ(ActionHistogram({&a, &b}), (std::map<double, double>{{-.5, .2}, {0, .4}, {1, .4}}));
  EXPECT_TRUE(ActionHistogram({}).empty());
}

TEST(Verdict, NamesTheBestBaselineAndTheMargin) {
  const Verdict lost = Judge({.net_return = .1, .sharpe = .5}, {{"flat", {}}, {"buy_and_hold", {.net_return = .25, .sharpe = .75}}});
  EXPECT_FALSE(lost.beaten);
  EXPECT_EQ(lost.best_baseline, "buy_and_hold");
  EXPECT_NEAR(lost.margin, -.15, 1e-12);
  EXPECT_EQ(lost.sentence,
            "Out of sample the policy returned 10.0 % net and did not beat the best baseline, buy-and-hold, at 25.0 % (15.0 points less); "
            "Sharpe 0.50 against 0.75.");
  EXPECT_TRUE(Judge({.net_return = .3}, {{"flat", {}}}).beaten);
  // Equal is not better.
  EXPECT_FALSE(Judge({}, {{"flat", {}}}).beaten);
}

TEST(Report, HoldsFoldsInstrumentsStrategiesAndPositions) {
  ReportInputs inputs;
  inputs.bars_per_year = 252;
  inputs.folds = {{"one", 10, 2}, {"two", 10, 2}};
  inputs.policy = {
      "policy",
      {MakeLedger("A", 0, 0, {.1, 0}), MakeLedger("B", 0, 0, {.2, 0}), MakeLedger("A", 1, 9, {.5, 0}), MakeLedger("B", 1, 9, {.1, 0})}};
  inputs.policy.ledgers[0].rows[0].fill_price = 12.5;
  inputs.baselines = {
      {"flat",
       {MakeLedger("A", 0, 0, {0, 0}), MakeLedger("B", 0, 0, {0, 0}), MakeLedger("A", 1, 9, {0, 0}), MakeLedger("B", 1, 9, {0, 0})}}};
  inputs.next_positions = {{"A", .5}, {"B", -1}};
  inputs.facts = {{"weights_sha256", "abc"}};
  const Report report = BuildReport(inputs);
  const auto json = nlohmann::json::parse(report.json);
  EXPECT_TRUE(report.beaten);
  EXPECT_EQ(json["verdict"]["sentence"], report.verdict);
  EXPECT_NEAR(json["stitched"]["equal_weight"]["policy"]["net_return"].get<double>(), 1.15 * 1.3 - 1, 1e-9);
  EXPECT_NEAR(json["stitched"]["instruments"]["A"]["policy"]["net_return"].get<double>(), 1.1 * 1.5 - 1, 1e-9);
  EXPECT_NEAR(json["folds"][1]["instruments"]["B"]["policy"]["net_return"].get<double>(), .1, 1e-9);
  EXPECT_NEAR(json["folds"][0]["equal_weight"]["flat"]["net_return"].get<double>(), 0, 1e-9);
  // A stretch without a losing bar has no Sortino ratio; JSON says null.
  EXPECT_TRUE(json["stitched"]["equal_weight"]["policy"]["sortino"].is_null());
  EXPECT_EQ(json["stitched"]["equal_weight"]["policy"]["bars"], 4);
  EXPECT_EQ(json["stitched"]["equal_weight"]["policy"].size(), FiguresOf({}).size());
  // Portfolio returns of the folds: .15 and .3.
  EXPECT_NEAR(json["over_folds"]["policy"]["mean"]["net_return"].get<double>(), .225, 1e-9);
  EXPECT_NEAR(json["over_folds"]["policy"]["worst"]["net_return"].get<double>(), .15, 1e-9);
  EXPECT_EQ(json["over_folds"]["policy"]["worst"]["name"], "one");
  EXPECT_EQ(json["over_folds"]["policy"]["worst"]["fold"], 1);
  EXPECT_EQ(json["actions"]["all"].dump(), R"([{"position":1.0,"share":1.0}])");
  EXPECT_EQ(json["actions"]["instruments"].size(), 2u);
  EXPECT_EQ(report.estimate.bars, 4);
  EXPECT_EQ(json["stitched"]["equal_weight"]["policy"]["sharpe_per_bar"], report.estimate.sharpe);
  EXPECT_EQ(json["next_positions"]["B"], -1);
  EXPECT_EQ(json["facts"]["weights_sha256"], "abc");
  EXPECT_THAT(report.positions_csv, StartsWith("time,instrument,fold,position,fill,cost,equity\n1970-01-01T00:00:00Z,A,1,1,12.5,0,"));
  EXPECT_THAT(report.positions_csv, HasSubstr(",B,2,1,,0,"));
  EXPECT_EQ(report.json, BuildReport(inputs).json);
}

TEST(Report, NamesWithSignsOfTheFormatAreQuoted) {
  ReportInputs inputs;
  inputs.bars_per_year = 252;
  inputs.folds = {{"one", 10, 2}};
  inputs.policy = {"policy", {MakeLedger("Coca, \"KO\"", 0, 0, {.1, 0})}};
  inputs.baselines = {{"flat", inputs.policy.ledgers}};
  EXPECT_THAT(BuildReport(inputs).positions_csv, HasSubstr("Z,\"Coca, \"\"KO\"\"\",1,"));
}

}  // namespace
}  // namespace traind::worker::rl
