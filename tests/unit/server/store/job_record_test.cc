#include "server/store/job_record.h"

#include "tests/testing/status_matchers.h"

namespace traind::server::store {
namespace {

domain::Job FullJob() {
  domain::Job job;
  job.id = JobId("dqn-a");
  job.uid = "u";
  job.request_id = "r";
  job.owner = "uid:1";
  job.spec_sha256 = "hash";
  job.origins = {{"dqn.gamma", "--set"}};
  job.display_name = "a \"name\"\n";
  job.labels = {{"team", "fx"}};
  job.kind = "dqn";
  job.priority = 7;
  job.slots = 2;
  job.device = "cpu";
  job.max_runtime = absl::Minutes(3);
  job.retry_budget = {{FailureCause::kCrashed, 4}, {FailureCause::kPeer, 0}};
  job.checkpoint_keep_last = 9;
  job.state = domain::JobState::kRunning;
  job.state_reason = "X";
  job.cause = FailureCause::kData;
  job.error = "bad \xff byte";
  job.attempts = {{.number = AttemptId(1),
                   .incarnation = Incarnation(UINT64_MAX),
                   .state = domain::AttemptState::kEnded,
                   .slots = {"cpu0", "cpu1"},
                   .shims = {{"boot", 12, 34}},
                   .cause = FailureCause::kCrashed,
                   .error = "e",
                   .exit_code = 70,
                   .signal = 9,
                   .start_time = absl::FromUnixNanos(1),
                   .end_time = absl::FromUnixNanos(2)}};
  job.result = {{"weights_sha256", "w"}};
  job.create_time = absl::FromUnixNanos(123456789);
  job.revision = 11;
  return job;
}

TEST(JobRecord, EveryFieldComesBack) {
  const domain::Job job = FullJob();
  ASSERT_OK_AND_ASSIGN(const domain::Job back, JobFromRecord(ToRecord(job)));
  EXPECT_EQ(ToRecord(back), ToRecord(job));
  EXPECT_EQ(back.retry_budget, job.retry_budget);
  EXPECT_EQ(back.attempts, job.attempts);
  EXPECT_EQ(back.labels, job.labels);
  EXPECT_EQ(back.max_runtime, job.max_runtime);
  EXPECT_EQ(back.queue_deadline, job.queue_deadline);
  EXPECT_EQ(back.start_time, absl::InfinitePast());
  EXPECT_EQ(back.state, domain::JobState::kRunning);
}

TEST(JobRecord, CheckpointsComeBack) {
  const domain::Checkpoint checkpoint{.job = JobId("a"),
                                      .step = 5,
                                      .attempt = AttemptId(2),
                                      .folder = "f",
                                      .size_bytes = 6,
                                      .manifest_sha256 = "m",
                                      .create_time = absl::FromUnixNanos(7),
                                      .pinned = true,
                                      .metrics = {{"loss", .5}}};
  ASSERT_OK_AND_ASSIGN(const domain::Checkpoint back, CheckpointFromRecord(ToRecord(checkpoint)));
  EXPECT_EQ(ToRecord(back), ToRecord(checkpoint));
  EXPECT_EQ(back.metrics, checkpoint.metrics);
}

TEST(JobRecord, GarbageIsRefused) {
  for (const char* text : {"", "{", "[]", "{}", "null", "{\"id\":1}"}) EXPECT_FALSE(JobFromRecord(text).ok()) << text;
}

}  // namespace
}  // namespace traind::server::store
