#include "worker/agent/session.h"

#include "tests/testing/fake_clock.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "tests/unit/worker/agent/fake_coordinator.h"

namespace traind::worker::agent {
namespace {

using internal::v1::WorkerMessage;
using testing::StatusCodeIs;

class RecordingEvents final : public SessionEvents {
 public:
  void OnAssignment(const internal::v1::Assignment& assignment) override { Note(absl::StrCat("assignment ", assignment.spec_sha256())); }
  void OnStop(internal::v1::Stop::Kind kind, const std::string&) override { Note(absl::StrCat("stop ", kind)); }
  void OnFenced(const std::string& reason) override { Note(absl::StrCat("fenced: ", reason)); }
  void OnOrphaned() override { Note("orphaned"); }

  bool Await(const std::string& note) {
    MutexLock lock(mutex_);
    return changed_.AwaitFor(mutex_, absl::Seconds(10), [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return std::find(notes_.begin(), notes_.end(), note) != notes_.end();
    });
  }

 private:
  void Note(std::string note) {
    MutexLock lock(mutex_);
    notes_.push_back(std::move(note));
    changed_.NotifyAll();
  }
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> notes_ ABSL_GUARDED_BY(mutex_);
};

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : coordinator_((folder_ / "w").string()) {
    internal::v1::Assignment assignment;
    assignment.set_spec_sha256("abc");
    coordinator_.SetAssignment(assignment);
  }
  SessionOptions Options() {
    SessionOptions options;
    options.address = coordinator_.address();
    options.job = "jobs/x";
    options.attempt = 3;
    options.incarnation = 77;
    options.heartbeat = absl::Milliseconds(10);
    options.progress_interval = absl::Milliseconds(10);
    options.longest_backoff = absl::Milliseconds(20);
    return options;
  }

  testing::TempDir folder_;
  FakeCoordinator coordinator_;
  RecordingEvents events_;
  SystemClock clock_;
};

bool IsRegister(const WorkerMessage& m) { return m.has_register_(); }
bool IsHeartbeat(const WorkerMessage& m) { return m.has_heartbeat(); }
bool IsProgress(const WorkerMessage& m) { return m.has_progress(); }
bool IsTerminal(const WorkerMessage& m) { return m.has_terminal(); }
bool IsCheckpoint(const WorkerMessage& m) { return m.has_checkpoint_prepared(); }

TEST_F(SessionTest, RegistersBeatsAndReportsWithItsKeyOnEveryMessage) {
  Session session(Options(), events_, clock_);
  session.Start();
  EXPECT_TRUE(events_.Await("assignment abc"));
  v1::Progress progress;
  progress.set_step(41);
  session.ReportProgress(progress);
  progress.set_step(42);
  session.ReportProgress(progress);
  ASSERT_FALSE(coordinator_.Await(1, IsProgress).empty());
  ASSERT_GE(coordinator_.Await(3, IsHeartbeat).size(), 3u);
  for (const WorkerMessage& message : coordinator_.Await(5, [](const WorkerMessage&) { return true; })) {
    EXPECT_EQ(message.job(), "jobs/x");
    EXPECT_EQ(message.attempt(), 3);
    EXPECT_EQ(message.incarnation(), 77u);
  }
}

TEST_F(SessionTest, TerminalIsAcknowledged) {
  Session session(Options(), events_, clock_);
  session.Start();
  internal::v1::Terminal terminal;
  terminal.set_failure_cause("DATA");
  EXPECT_OK(session.ReportTerminal(terminal, absl::Seconds(10)));
  EXPECT_EQ(coordinator_.Await(1, IsTerminal).front().terminal().failure_cause(), "DATA");
}

TEST_F(SessionTest, TerminalWithoutAnAnswerRunsIntoItsDeadline) {
  coordinator_.AnswerReports(false);
  Session session(Options(), events_, clock_);
  session.Start();
  EXPECT_THAT(session.ReportTerminal({}, absl::Milliseconds(50)), StatusCodeIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(SessionTest, ComesBackAfterARestartAndSendsAgainWhatWasNotAnswered) {
  coordinator_.AnswerReports(false);
  Session session(Options(), events_, clock_);
  session.Start();
  internal::v1::CheckpointPrepared checkpoint;
  checkpoint.set_step(500);
  session.ReportCheckpoint(checkpoint);
  ASSERT_EQ(coordinator_.Await(1, IsCheckpoint).size(), 1u);
  coordinator_.Stop();
  coordinator_.AnswerReports(true);
  coordinator_.Start();
  EXPECT_EQ(coordinator_.Await(2, IsRegister).size(), 2u);
  EXPECT_EQ(coordinator_.Await(2, IsCheckpoint).size(), 2u);
  EXPECT_OK(session.ReportTerminal({}, absl::Seconds(10)));
  EXPECT_EQ(coordinator_.Await(2, IsCheckpoint).size(), 2u) << "an answered checkpoint was sent again";
}

TEST_F(SessionTest, StopReachesTheWorker) {
  Session session(Options(), events_, clock_);
  session.Start();
  ASSERT_TRUE(events_.Await("assignment abc"));
  coordinator_.SendStop(internal::v1::Stop::CANCEL);
  EXPECT_TRUE(events_.Await("stop 1"));
}

TEST_F(SessionTest, FencedWorkerIsToldOnceAndStops) {
  coordinator_.FenceEverybody();
  Session session(Options(), events_, clock_);
  session.Start();
  EXPECT_TRUE(events_.Await("fenced: attempt 2 is current"));
  EXPECT_THAT(session.ReportTerminal({}, absl::Seconds(10)), StatusCodeIs(absl::StatusCode::kAborted));
}

TEST_F(SessionTest, WithoutACoordinatorTheWorkerIsAnOrphanAfterItsTime) {
  coordinator_.Stop();
  testing::FakeClock clock;
  SessionOptions options = Options();
  options.orphan_after = absl::Minutes(10);
  Session session(options, events_, clock);
  session.Start();
  clock.Advance(absl::Minutes(11));
  EXPECT_TRUE(events_.Await("orphaned"));
}

}  // namespace
}  // namespace traind::worker::agent
