#include "worker/rl/report/report.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "worker/rl/report/performance.h"
#include "worker/rl/report/stitch.h"
#include "worker/rl/report/verdict.h"

namespace traind::worker::rl {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

envs::Ledger MakeLedger(std::string instrument, int fold, int64_t first_time, std::vector<double> returns) {
  envs::Ledger ledger{std::move(instrument), fold, {}};
  for (size_t i = 0; i < returns.size(); ++i) {
    ledger.rows.push_back({.time_ns = first_time + static_cast<int64_t>(i), .position = 1, .net_return = returns[i]});
  }
  return ledger;
}

// Returns .1, -.5, .2: equity 1.1, .55, .66; mean -.0666…, ddof-1 deviation .378594; peak 1.1, trough .55.
TEST(Performance, MatchesHandComputedFigures) {
  envs::Ledger ledger = MakeLedger("A", 0, 0, {.1, -.5, .2});
  ledger.rows[0].turnover = 1;
  ledger.rows[0].cost = .003;
  const Performance p = Measure(ledger.rows, 4);
  EXPECT_EQ(p.bars, 3);
  EXPECT_NEAR(p.net_return, -.34, 1e-12);
  EXPECT_NEAR(p.max_drawdown, .5, 1e-12);
  EXPECT_NEAR(p.sharpe, 2 * (-.2 / 3) / .3785938897, 1e-9);
  EXPECT_NEAR(p.turnover, 4.0 / 3, 1e-12);
  EXPECT_NEAR(p.cost_drag, .004, 1e-12);
}

TEST(Performance, ALossOnTheFirstBarIsADrawdown) { EXPECT_NEAR(Measure(MakeLedger("A", 0, 0, {-.2}).rows, 252).max_drawdown, .2, 1e-12); }

TEST(Performance, ConstantReturnsHaveNoSharpe) {
  EXPECT_EQ(Measure(MakeLedger("A", 0, 0, {.1, .1, .1}).rows, 252).sharpe, 0);
  EXPECT_EQ(Measure({}, 252).bars, 0);
}

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
