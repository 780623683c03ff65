#include "server/scheduler/retry.h"

#include "tests/testing/status_matchers.h"
#include "tests/unit/server/scheduler/test_jobs.h"

namespace traind::server::scheduler {
namespace {

using domain::JobState;
using ::testing::HasSubstr;

// A job whose attempts ended with `causes`, and one more that runs.
domain::Job Tried(const std::vector<FailureCause>& causes) {
  domain::Job job = TestJob("dqn-a");
  for (const FailureCause cause : causes) {
    EXPECT_OK(BeginAttempt(job, {"cpu0"}, Incarnation(1), absl::UnixEpoch()));
    EXPECT_OK(EndAttempt(job, job.current_attempt()->number, {.cause = cause}, {.retry = true}, absl::UnixEpoch()));
  }
  EXPECT_OK(BeginAttempt(job, {"cpu0"}, Incarnation(1), absl::UnixEpoch()));
  return job;
}

TEST(DecideRetry, ByCause) {
  for (const FailureCause cause : {FailureCause::kUserError, FailureCause::kConfig, FailureCause::kData, FailureCause::kNonFinite}) {
    EXPECT_FALSE(DecideRetry(Tried({}), cause, AttemptId(0), 0).retry) << FailureCauseName(cause);
  }
  for (const FailureCause cause : {FailureCause::kCrashed, FailureCause::kPeer, FailureCause::kOomHost, FailureCause::kTimeout,
                                   FailureCause::kPreempted, FailureCause::kNodeLost, FailureCause::kCoordinator}) {
    EXPECT_TRUE(DecideRetry(Tried({}), cause, AttemptId(0), 0).retry) << FailureCauseName(cause);
  }
}

TEST(DecideRetry, BudgetsRunOut) {
  EXPECT_FALSE(DecideRetry(Tried({FailureCause::kOomHost}), FailureCause::kOomHost, AttemptId(0), 0).retry);
  domain::Job none = Tried({});
  none.retry_budget[FailureCause::kCrashed] = 0;
  EXPECT_THAT(DecideRetry(none, FailureCause::kCrashed, AttemptId(0), 0).message, HasSubstr("all 0 retries"));
}

TEST(DecideRetry, ThreeInARowWithoutACheckpointEndIt) {
  const domain::Job job = Tried({FailureCause::kCrashed, FailureCause::kPeer});
  EXPECT_THAT(DecideRetry(job, FailureCause::kCrashed, AttemptId(0), 0).message, HasSubstr("3 failures in a row"));
  // The third attempt committed a checkpoint: what came before is forgiven.
  EXPECT_TRUE(DecideRetry(job, FailureCause::kCrashed, AttemptId(3), 0).retry);
}

TEST(DecideRetry, WhatIsNobodysFaultCostsNothing) {
  const std::vector<FailureCause> many(20, FailureCause::kPreempted);
  EXPECT_TRUE(DecideRetry(Tried(many), FailureCause::kPreempted, AttemptId(0), 0).retry);
  EXPECT_TRUE(DecideRetry(Tried(many), FailureCause::kCrashed, AttemptId(0), 0).retry);
}

TEST(DecideRetry, BacksOffWithinBounds) {
  EXPECT_EQ(DecideRetry(Tried({}), FailureCause::kCrashed, AttemptId(0), 0).backoff, absl::Milliseconds(500));
  EXPECT_LE(
      DecideRetry(Tried(std::vector<FailureCause>(30, FailureCause::kPreempted)), FailureCause::kPreempted, AttemptId(0), .999).backoff,
      kLongestBackoff);
}

TEST(EndAttempt, MovesTheJobOnFromWhereItIs) {
  struct Case {
    JobState before;
    FailureCause cause;
    bool retry;
    JobState after;
  };
  for (const Case& one : std::initializer_list<Case>{{JobState::kRunning, FailureCause::kNone, false, JobState::kSucceeded},
                                                     {JobState::kRunning, FailureCause::kCrashed, true, JobState::kPending},
                                                     {JobState::kRunning, FailureCause::kCrashed, false, JobState::kFailed},
                                                     {JobState::kStarting, FailureCause::kCrashed, true, JobState::kPending},
                                                     {JobState::kCancelling, FailureCause::kPreempted, true, JobState::kCancelled},
                                                     {JobState::kCancelling, FailureCause::kNone, false, JobState::kSucceeded},
                                                     {JobState::kSuspending, FailureCause::kPreempted, true, JobState::kSuspended},
                                                     {JobState::kSuspending, FailureCause::kData, false, JobState::kFailed}}) {
    domain::Job job = Tried({});
    job.state = one.before;
    ASSERT_OK(EndAttempt(job, AttemptId(1), {.cause = one.cause, .error = "why"}, {.retry = one.retry}, absl::FromUnixSeconds(9)));
    EXPECT_EQ(job.state, one.after) << domain::JobStateName(one.before);
    EXPECT_EQ(job.end_time == absl::FromUnixSeconds(9), domain::IsTerminal(one.after));
    EXPECT_EQ(job.attempts[0].cause, one.cause);
  }
}

TEST(EndAttempt, OnlyTheCurrentOneAndOnce) {
  domain::Job job = Tried({});
  EXPECT_FALSE(EndAttempt(job, AttemptId(2), {}, {}, absl::UnixEpoch()).ok());
  EXPECT_OK(EndAttempt(job, AttemptId(1), {}, {}, absl::UnixEpoch()));
  EXPECT_FALSE(EndAttempt(job, AttemptId(1), {}, {}, absl::UnixEpoch()).ok());
  EXPECT_FALSE(BeginAttempt(job, {"cpu0"}, Incarnation(2), absl::UnixEpoch()).ok());
  EXPECT_FALSE(FailPending(job, FailureCause::kTimeout, "x", absl::UnixEpoch()).ok());
}

}  // namespace
}  // namespace traind::server::scheduler
