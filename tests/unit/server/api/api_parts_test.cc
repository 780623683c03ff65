#include "server/api/job_filter.h"
#include "server/api/job_proto.h"
#include "server/api/pages.h"
#include "server/api/set_paths.h"
#include "tests/testing/status_matchers.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::server::api {
namespace {

using ::testing::ElementsAre;
using testing::StatusCodeIs;

TEST(JobNames, OnlyNamesOfJobsAreAccepted) {
  EXPECT_EQ(ParseJobName("jobs/dqn-1a.b_c")->value(), "dqn-1a.b_c");
  for (const std::string& name :
       {std::string("jobs/"), std::string("dqn-1"), std::string("jobs/../x"), std::string("jobs/A"), std::string("jobs/a/b"),
        std::string("jobs/.a"), std::string("jobs/a\0b", 8), "jobs/" + std::string(65, 'a')}) {
    EXPECT_THAT(ParseJobName(name), StatusCodeIs(absl::StatusCode::kInvalidArgument)) << name;
  }
}

TEST(Pages, TokensBelongToOneList) {
  const std::string token = PageToken("17", "state=FAILED");
  EXPECT_EQ(ParsePage(0, token, "state=FAILED")->start, "17");
  EXPECT_EQ(ParsePage(0, "", "")->size, kDefaultPage);
  EXPECT_EQ(ParsePage(1 << 30, "", "")->size, kLargestPage);
  EXPECT_THAT(ParsePage(0, token, ""), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParsePage(0, PageToken("", ""), ""), StatusCodeIs(absl::StatusCode::kInvalidArgument));
}

TEST(Filter, LabelsAndStates) {
  domain::Job job;
  job.kind = "dqn";
  job.labels = {{"team", "fx=1"}};
  job.state = domain::JobState::kRunning;
  EXPECT_TRUE(JobFilter::Parse("labels.team=fx=1 AND state=RUNNING")->Matches(job));
  EXPECT_FALSE(JobFilter::Parse("labels.team=fx")->Matches(job));
  EXPECT_FALSE(JobFilter::Parse("kind=ppo")->Matches(job));
  EXPECT_THAT(JobFilter::Parse("labels.=x"), StatusCodeIs(absl::StatusCode::kInvalidArgument));
}

TEST(SetPaths, EveryValueOfASparseSpecification) {
  v1::JobSpec spec;
  EXPECT_TRUE(SetPaths(spec).empty());
  (*spec.mutable_labels())["team"] = "fx";
  spec.mutable_dqn()->add_hidden(8);
  spec.mutable_dqn()->set_steps(0);
  spec.mutable_data()->add_sources()->set_path("data:a.csv");
  spec.mutable_data()->add_sources()->mutable_columns()->set_close("C");
  spec.mutable_market();
  EXPECT_THAT(SetPaths(spec),
              ElementsAre("data.sources[0].path", "data.sources[1].columns.close", "dqn.hidden", "dqn.steps", "labels.team", "market"));
}

TEST(JobMessage, TimesAndEstimatesStayWithinWhatMessagesHold) {
  domain::Job job;
  job.id = JobId("a");
  job.create_time = absl::FromUnixNanos(1'700'000'000'000'000'001);
  const v1::Job message = ToProto(job);
  EXPECT_EQ(message.create_time().nanos(), 1);
  EXPECT_FALSE(message.has_start_time());
  supervisor::Progress progress;
  progress.eta = absl::InfiniteDuration();
  EXPECT_LT(ToProto(progress).eta().seconds(), 315'576'000'000);
  progress.eta = -absl::Seconds(3);
  EXPECT_EQ(ToProto(progress).eta().seconds(), 0);
}

}  // namespace
}  // namespace traind::server::api
