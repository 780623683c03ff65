// One step of the loop: what is planned for each state that a job, its attempt and its ranks can be in.
#include "server/scheduler/reconciler.h"

#include <signal.h>

#include "tests/testing/status_matchers.h"
#include "tests/unit/server/scheduler/test_jobs.h"

namespace traind::server::scheduler {
namespace {

using domain::JobState;
using ::testing::HasSubstr;

constexpr absl::Duration kNow = absl::Seconds(5000);

class ReconcileTest : public ::testing::Test {
 protected:
  // A job that runs on one slot, registered and heard of just now.
  void SetUp() override {
    job_ = TestJob("dqn-a");
    CHECK_OK(BeginAttempt(job_, {"cpu0"}, Incarnation(7), absl::UnixEpoch()));
    CHECK_OK(MarkRunning(job_));
    facts_.since = kNow;
    facts_.attempt.emplace();
    facts_.attempt->launched = kNow;
    facts_.attempt->ranks = {{.registered = true, .last_heard = kNow, .end = {}}};
  }
  static void CHECK_OK(const absl::Status& status) { ASSERT_OK(status); }

  Plan Reconcile(absl::Duration now = kNow) const {
    Snapshot snapshot;
    snapshot.jobs = {std::make_shared<domain::Job>(job_)};
    if (known_) snapshot.facts[job_.id] = facts_;
    snapshot.slots = CpuSlots(1, domain::IsActive(job_.state) ? std::vector<std::string>{"jobs/dqn-a"} : std::vector<std::string>{});
    snapshot.due = due_.value_or(now);
    return scheduler::Reconcile(snapshot, {}, now);
  }
  // The only action, of type T.
  template <typename T>
  T Only(absl::Duration now = kNow) const {
    const Plan plan = Reconcile(now);
    EXPECT_EQ(plan.actions.size(), 1u);
    if (plan.actions.size() != 1 || !std::holds_alternative<T>(plan.actions[0])) {
      ADD_FAILURE() << "another action: " << (plan.actions.empty() ? -1 : static_cast<int>(plan.actions[0].index()));
      return {};
    }
    return std::get<T>(plan.actions[0]);
  }
  RankFacts& rank() { return facts_.attempt->ranks[0]; }
  void Pending() {
    job_ = TestJob("dqn-a");
    facts_ = {.since = kNow};
  }

  domain::Job job_;
  JobFacts facts_;
  bool known_ = true;
  std::optional<absl::Duration> due_;
};

TEST_F(ReconcileTest, ARunningJobNeedsNothing) { EXPECT_TRUE(Reconcile().actions.empty()); }

TEST_F(ReconcileTest, AWaitingJobStarts) {
  Pending();
  const auto start = Only<StartAttempt>();
  EXPECT_EQ(start.job.value(), "dqn-a");
  EXPECT_THAT(start.slots, ::testing::ElementsAre("cpu0"));
}

TEST_F(ReconcileTest, BackoffHoldsItBack) {
  Pending();
  facts_.backoff_until = kNow + absl::Seconds(1);
  EXPECT_TRUE(Reconcile().actions.empty());
  EXPECT_EQ(Reconcile().queue[0].reason, kBackoff);
  Only<StartAttempt>(kNow + absl::Seconds(1));
}

TEST_F(ReconcileTest, TheQueueDeadlinePasses) {
  Pending();
  job_.queue_deadline = absl::Seconds(10);
  facts_.since = kNow - absl::Seconds(11);
  const auto fail = Only<FailWaiting>();
  EXPECT_EQ(fail.cause, FailureCause::kTimeout);
  EXPECT_THAT(fail.error, HasSubstr("limits.queue_deadline = 10s"));
}

TEST_F(ReconcileTest, StartingBecomesRunningOnceAllRanksReport) {
  job_.state = JobState::kStarting;
  rank().registered = false;
  EXPECT_TRUE(Reconcile().actions.empty());
  rank().registered = true;
  Only<ReportRunning>();
}

TEST_F(ReconcileTest, AWorkerThatNeverReportsIsKilled) {
  rank().registered = false;
  EXPECT_TRUE(Reconcile(kNow + absl::Seconds(60)).actions.empty());
  const auto kill = Only<Kill>(kNow + absl::Seconds(61));
  EXPECT_EQ(kill.verdict->cause, FailureCause::kCrashed);
  EXPECT_THAT(kill.verdict->error, HasSubstr("workers.start_timeout"));
}

TEST_F(ReconcileTest, ASilentWorkerIsKilledOnce) {
  EXPECT_TRUE(Reconcile(kNow + absl::Seconds(10)).actions.empty());
  EXPECT_THAT(Only<Kill>(kNow + absl::Seconds(11)).verdict->error, HasSubstr("workers.lease"));
  facts_.attempt->killed = kNow + absl::Seconds(11);
  EXPECT_TRUE(Reconcile(kNow + absl::Seconds(12)).actions.empty());
}

// The machine slept for a minute: nobody could be heard, so nobody is blamed.
TEST_F(ReconcileTest, ALateTickExtendsLeases) {
  due_ = kNow;
  const absl::Duration now = kNow + absl::Seconds(60);
  const Plan plan = Reconcile(now);
  ASSERT_EQ(plan.actions.size(), 1u);
  EXPECT_EQ(std::get<ExtendLeases>(plan.actions[0]).by, absl::Seconds(60));
}

// Stop command, SIGTERM, SIGKILL: each after the former had its time.
TEST_F(ReconcileTest, StopsInStages) {
  job_.state = JobState::kCancelling;
  EXPECT_EQ(Only<RequestStop>().kind, StopKind::kCancel);
  facts_.attempt->stop_requested = kNow;
  rank().last_heard = kNow + absl::Seconds(50);
  EXPECT_TRUE(Reconcile(kNow + absl::Seconds(9)).actions.empty());
  Only<Terminate>(kNow + absl::Seconds(10));
  facts_.attempt->terminated = kNow + absl::Seconds(10);
  EXPECT_TRUE(Reconcile(kNow + absl::Seconds(39)).actions.empty());
  Only<Kill>(kNow + absl::Seconds(40));
}

TEST_F(ReconcileTest, AWorkerWithoutASessionGetsSigtermAtOnce) {
  job_.state = JobState::kCancelling;
  rank().registered = false;
  Only<Terminate>();
}

// Before it had a session it could not say itself that it stopped on request.
TEST_F(ReconcileTest, ARankThatEndsByTheSignalItWasSentDidNotCrash) {
  job_.state = JobState::kCancelling;
  rank().registered = false;
  rank().end = RankEnd{.cause = FailureCause::kCrashed, .error = "", .exit_code = 0, .signal = SIGTERM};
  EXPECT_EQ(Only<FinishAttempt>().end.cause, FailureCause::kCrashed) << "nobody sent it";
  facts_.attempt->terminated = kNow;
  const AttemptEnd end = Only<FinishAttempt>().end;
  EXPECT_EQ(end.cause, FailureCause::kPreempted);
  EXPECT_THAT(end.error, HasSubstr("stopped on request"));
  rank().end->signal = SIGKILL;
  EXPECT_EQ(Only<FinishAttempt>().end.cause, FailureCause::kCrashed);
  facts_.attempt->killed = kNow;
  EXPECT_EQ(Only<FinishAttempt>().end.cause, FailureCause::kPreempted);
}

TEST_F(ReconcileTest, MaxRuntimeEndsTheAttempt) {
  job_.max_runtime = absl::Seconds(5);
  rank().last_heard = kNow + absl::Seconds(6);
  EXPECT_TRUE(Reconcile(kNow + absl::Seconds(5)).actions.empty());
  EXPECT_EQ(Only<RequestStop>(kNow + absl::Seconds(6)).verdict->cause, FailureCause::kTimeout);
}

TEST_F(ReconcileTest, SuccessFinishes) {
  rank().end = RankEnd{};
  const auto finish = Only<FinishAttempt>();
  EXPECT_EQ(finish.end.cause, FailureCause::kNone);
  EXPECT_FALSE(finish.decision.retry);
}

TEST_F(ReconcileTest, ACrashIsTriedAgain) {
  rank().end = RankEnd{.cause = FailureCause::kCrashed, .error = "", .exit_code = 0, .signal = 11};
  const auto finish = Only<FinishAttempt>();
  EXPECT_EQ(finish.end.cause, FailureCause::kCrashed);
  EXPECT_THAT(finish.end.error, HasSubstr("signal 11 (SIGSEGV)"));
  EXPECT_TRUE(finish.decision.retry);
}

TEST_F(ReconcileTest, TheVerdictOutranksTheExit) {
  rank().end = RankEnd{.cause = FailureCause::kPreempted};
  facts_.attempt->verdict = Verdict{FailureCause::kTimeout, "too long"};
  EXPECT_EQ(Only<FinishAttempt>().end.cause, FailureCause::kTimeout);
}

// One rank of a gang fails: the others, stuck in a collective, are killed; the one at fault is blamed.
TEST_F(ReconcileTest, AGangEndsAsAWhole) {
  facts_.attempt->ranks.push_back(facts_.attempt->ranks[0]);
  facts_.attempt->ranks[1].end = RankEnd{.cause = FailureCause::kData, .error = "row 7 is bad"};
  const auto kill = Only<Kill>();
  EXPECT_EQ(kill.verdict->cause, FailureCause::kData);
  facts_.attempt->killed = kNow;
  facts_.attempt->verdict = kill.verdict;
  facts_.attempt->ranks[0].end = RankEnd{.cause = FailureCause::kPeer, .error = "the other one", .exit_code = 0, .signal = 0};
  const auto finish = Only<FinishAttempt>();
  EXPECT_EQ(finish.end.error, "row 7 is bad");
  EXPECT_FALSE(finish.decision.retry);
}

TEST_F(ReconcileTest, AnAttemptNobodyKnowsYetIsLeftAlone) {
  known_ = false;
  EXPECT_TRUE(Reconcile().actions.empty());
}

TEST(Retention, ByAgeThenByCount) {
  const auto due = [](int64_t max_jobs, absl::Duration max_age) {
    const std::vector<FinishedJob> finished = {
        {JobId("c"), absl::Seconds(30)}, {JobId("a"), absl::Seconds(10)}, {JobId("b"), absl::Seconds(20)}};
    std::vector<std::string> ids;
    for (const JobId& id : DueForRemoval(finished, {max_jobs, max_age}, absl::Seconds(100))) ids.push_back(id.value());
    return ids;
  };
  EXPECT_THAT(due(3, absl::Seconds(1000)), ::testing::IsEmpty());
  EXPECT_THAT(due(1, absl::Seconds(1000)), ::testing::ElementsAre("a", "b"));
  EXPECT_THAT(due(3, absl::Seconds(85)), ::testing::ElementsAre("a"));
  EXPECT_THAT(due(0, absl::Seconds(1000)), ::testing::ElementsAre("a", "b", "c"));
}

// Setting the wall clock moves nothing that was anchored, and a future time counts as now.
TEST(AnchorSince, IsOnTheSteadyClock) {
  const absl::Time wall = absl::FromUnixSeconds(1'000'000);
  EXPECT_EQ(AnchorSince(wall - absl::Seconds(30), wall, kNow), kNow - absl::Seconds(30));
  EXPECT_EQ(AnchorSince(wall + absl::Hours(5), wall, kNow), kNow);
}

}  // namespace
}  // namespace traind::server::scheduler
