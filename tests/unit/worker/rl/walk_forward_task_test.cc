// A whole job in one process: what it writes, what it reports, how it ends.
#include "worker/rl/walk_forward_task.h"

#include <filesystem>
#include <fstream>

#include "common/base/failure.h"
#include "common/base/status.h"
#include "common/stats/sharpe_facts.h"
#include "nlohmann/json.hpp"
#include "tests/testing/status_matchers.h"
#include "tests/unit/worker/envs/market_file.h"
#include "tests/unit/worker/rl/recording_context.h"
#include "worker/rl/dqn_task.h"

namespace traind::worker::rl {
namespace {

using ::testing::HasSubstr;

// Two folds of 60 test bars each, trained for a moment.
Params QuickJob() {
  Params params = envs::OneFold(100, 60);
  params.Set("walk_forward.max_folds", int64_t{2}, false);
  params.Set("dqn.steps", int64_t{400}, false);
  params.Set("dqn.warmup_steps", int64_t{100}, false);
  return params;
}

class WalkForwardTaskTest : public ::testing::Test {
 protected:
  void SetUp() override { context_ = NewContext(); }
  std::unique_ptr<RecordingContext> NewContext() {
    auto context = std::make_unique<RecordingContext>(params_);
    data_.Write("market.csv", envs::ToCsv(envs::RandomWalk(240, .01, 1)));
    context->data_root = data_.path().string();
    return context;
  }
  absl::Status Run() {
    ASSIGN_OR_RETURN(const std::unique_ptr<Task> task, MakeDqnTask(params_));
    return task->Run(*context_);
  }

  testing::TempDir data_;
  Params params_ = QuickJob();
  std::unique_ptr<RecordingContext> context_;
};

TEST_F(WalkForwardTaskTest, WritesItsArtifactsAndCheckpoints) {
  ASSERT_OK(Run());
  const auto report = nlohmann::json::parse(testing::ReadFile(context_->artifacts_folder() + "/report.json"));
  EXPECT_EQ(report["folds"].size(), 2u);
  EXPECT_EQ(context_->results["folds"], "2");
  EXPECT_EQ(context_->results["weights_sha256"].size(), 64u);
  EXPECT_FALSE(context_->results["verdict"].empty());
  // What the coordinator deflates is the figure of the report.
  const auto& stitched = report["stitched"]["equal_weight"]["policy"];
  const auto estimate = stats::EstimateFromFacts(context_->results);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(stitched["bars"], estimate->bars);
  EXPECT_EQ(stitched["sharpe_per_bar"], estimate->sharpe);
  EXPECT_NEAR(stitched["psr"], std::stod(context_->results["psr"]), 1e-5);
  const std::string positions = testing::ReadFile(context_->artifacts_folder() + "/positions.csv");
  EXPECT_EQ(std::count(positions.begin(), positions.end(), '\n'), 1 + 2 * 60);
  EXPECT_TRUE(std::filesystem::exists(context_->artifacts_folder() + "/ingest.json"));
  ASSERT_EQ(context_->written.size(), 2u);
  EXPECT_EQ(context_->written[0].step, 400);
  EXPECT_EQ(context_->written[1].step, 800);
  EXPECT_EQ(context_->progress.back().total_folds, 2);
}

TEST_F(WalkForwardTaskTest, TheSameJobGivesTheSameWeights) {
  ASSERT_OK(Run());
  const auto first = context_->results;
  const std::string report = testing::ReadFile(context_->artifacts_folder() + "/report.json");
  context_ = NewContext();
  ASSERT_OK(Run());
  EXPECT_EQ(context_->results, first);
  EXPECT_EQ(testing::ReadFile(context_->artifacts_folder() + "/report.json"), report);
  params_.Set("seed", int64_t{2}, false);
  context_ = NewContext();
  ASSERT_OK(Run());
  EXPECT_NE(context_->results["weights_sha256"], first.at("weights_sha256"));
  EXPECT_EQ(context_->results["data_fingerprint"], first.at("data_fingerprint"));
}

TEST_F(WalkForwardTaskTest, AFieldThatNothingReadsFailsTheJob) {
  params_.Set("dqn.momentum", 0.5, true);
  const absl::Status status = Run();
  EXPECT_EQ(CauseOf(status), FailureCause::kConfig);
  EXPECT_THAT(std::string(status.message()), HasSubstr("dqn.momentum"));
  EXPECT_TRUE(context_->written.empty());
}

TEST_F(WalkForwardTaskTest, AReplayBeyondTheMemoryLimitIsRefused) {
  params_.Set("limits.memory", std::string("16MiB"), true);
  params_.Set("dqn.replay_capacity", int64_t{1'000'000}, true);
  const absl::Status status = Run();
  EXPECT_EQ(CauseOf(status), FailureCause::kConfig);
  EXPECT_THAT(std::string(status.message()), HasSubstr("dqn.replay_capacity"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("16 MiB"));
}

TEST_F(WalkForwardTaskTest, ANetworkBeyondTheMemoryLimitIsRefusedBeforeItIsMade) {
  params_.Set("dqn.hidden", std::vector<int64_t>{65536, 65536, 65536}, true);
  const absl::Status status = Run();
  EXPECT_EQ(CauseOf(status), FailureCause::kConfig);
  EXPECT_THAT(std::string(status.message()), HasSubstr("dqn.hidden"));
}

// Nothing comes after a fold's last checkpoint that could be tried instead.
TEST_F(WalkForwardTaskTest, AFoldWhoseLastCheckpointCannotBeWrittenFails) {
  std::ofstream(context_->checkpoints_folder()) << "no folder";
  const absl::Status status = Run();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("checkpoint at step 400"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("fold 1"));
  EXPECT_TRUE(context_->results.empty());
}

TEST_F(WalkForwardTaskTest, StopsInTheMiddle) {
  context_->stop_after = 50;
  EXPECT_TRUE(absl::IsCancelled(Run()));
  EXPECT_EQ(context_->written.size(), 1u) << "what was learned is lost";
  EXPECT_FALSE(std::filesystem::exists(context_->artifacts_folder() + "/report.json"));
}

TEST_F(WalkForwardTaskTest, AStopBeforeTheFirstStepSavesNothing) {
  context_->stop_after = 0;
  EXPECT_TRUE(absl::IsCancelled(Run()));
  EXPECT_TRUE(context_->written.empty());
}

TEST_F(WalkForwardTaskTest, ValidatesDataWithoutTraining) {
  ASSERT_OK_AND_ASSIGN(const auto task, MakeDqnTask(params_));
  ASSERT_OK_AND_ASSIGN(const std::string report, task->ValidateData(*context_));
  EXPECT_EQ(nlohmann::json::parse(report)["folds"], 2);
  EXPECT_TRUE(context_->rows.empty());
  EXPECT_TRUE(context_->written.empty());
}

TEST_F(WalkForwardTaskTest, DataTooShortSayHowMuchIsMissing) {
  data_.Write("market.csv", envs::ToCsv(envs::RandomWalk(50, .01, 1)));
  const absl::Status status = Run();
  EXPECT_EQ(CauseOf(status), FailureCause::kData);
  EXPECT_THAT(std::string(status.message()), HasSubstr("50"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("market.csv"));
}

}  // namespace
}  // namespace traind::worker::rl
