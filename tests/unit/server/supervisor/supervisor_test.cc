// The supervisor round by round, on a store in memory, a machine that runs nothing, and a clock that stands still.
#include <fcntl.h>

#include <filesystem>

#include "common/base/status.h"
#include "common/os/unique_fd.h"
#include "server/supervisor/job_folders.h"
#include "server/supervisor/reconciling_supervisor.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/in_memory_job_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "tests/unit/server/supervisor/fake_launcher.h"

namespace traind::server::supervisor {
namespace {

using domain::JobState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

int CountOf(absl::string_view part, absl::string_view text) {
  int count = 0;
  for (size_t at = text.find(part); at != absl::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class RecordingLink final : public WorkerLink {
 public:
  void Stop(StopKind, const std::string& reason) override { stops.push_back(reason); }
  void CheckpointCommitted(int64_t step) override { committed.push_back(step); }
  void TerminalAck() override { ++acks; }
  void Close(const absl::Status& status) override { closed = status; }

  std::vector<std::string> stops;
  std::vector<int64_t> committed;
  int acks = 0;
  std::optional<absl::Status> closed;
};

class SupervisorTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(); }
  // A new life of the daemon over the same store and machine.
  void Start() {
    supervisor_.reset();
    SupervisorOptions options;
    options.slots = {{"cpu0", "cpu", ""}};
    options.state_folder = folder_.path().string();
    options.render_spec = [](const std::string& bytes) { return "spec: " + bytes; };
    options.random = [this] { return ++random_; };
    supervisor_ = std::make_unique<ReconcilingSupervisor>(std::move(options), store_, launcher_, clock_, log_);
    ASSERT_OK(supervisor_->Adopt());
  }

  JobId Submit(const std::string& id) {
    domain::Job job;
    job.id = JobId(id);
    job.kind = "dqn";
    job.spec_bytes = "bytes of " + id;
    job.spec_sha256 = "sha of " + id;
    job.origins = {{"dqn.steps", "job.yaml:1"}};
    EXPECT_OK(store_.Create(job));
    clock_.Advance(absl::Milliseconds(1));
    return JobId(id);
  }
  store::JobPtr Get(const JobId& id) { return *store_.Get(id); }
  JobState StateOf(const JobId& id) { return Get(id)->state; }
  void Round(absl::Duration by = absl::Milliseconds(250)) {
    clock_.Advance(by);
    supervisor_->RunOnce();
  }
  WorkerKey KeyOf(const JobId& id) {
    const domain::Attempt& attempt = *Get(id)->current_attempt();
    return {id, attempt.number, 0, attempt.incarnation};
  }
  WorkerAssignment Register(const JobId& id) {
    link_ = std::make_shared<RecordingLink>();
    auto assignment = supervisor_->Register(KeyOf(id), {.process = {}, .version = "1", .metrics_address = "127.0.0.1:5"}, link_);
    EXPECT_OK(assignment);
    return assignment.ok() ? *assignment : WorkerAssignment{};
  }
  JobId Running(const std::string& id) {
    const JobId job = Submit(id);
    Round();
    Register(job);
    Round();
    EXPECT_EQ(StateOf(job), JobState::kRunning);
    return job;
  }
  void ExitAll() { launcher_.alive.clear(); }
  void Cancel(const JobId& id) {
    EXPECT_OK(store_.Mutate(id,
                            [](domain::Job& job) {
                              job.state = JobState::kCancelling;
                              return absl::OkStatus();
                            },
                            {.sequence = 0, .time = {}, .actor = "uid:0", .action = "CANCEL_REQUESTED", .target = "", .message = ""}));
  }

  testing::TempDir folder_;
  testing::FakeClock clock_;
  testing::InMemoryJobStore store_{clock_};
  launcher::FakeLauncher launcher_;
  const os::UniqueFd log_file_{::open((folder_ / "log").c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600)};
  obs::Logger log_{{.level = obs::Severity::kWarning, .fd = log_file_.get()}, clock_};
  uint64_t random_ = 0;
  std::shared_ptr<RecordingLink> link_;
  std::unique_ptr<ReconcilingSupervisor> supervisor_;
};

TEST_F(SupervisorTest, FromSubmitToSuccess) {
  const JobId job = Submit("dqn-a");
  Round();
  EXPECT_EQ(StateOf(job), JobState::kStarting);
  ASSERT_EQ(launcher_.launched.size(), 1u);
  EXPECT_EQ(launcher_.launched[0].device, "cpu");
  EXPECT_EQ(testing::ReadFile(folder_ / "jobs/dqn-a/spec.yaml"), "spec: bytes of dqn-a");
  const WorkerAssignment assignment = Register(job);
  EXPECT_EQ(assignment.spec_bytes, "bytes of dqn-a");
  EXPECT_THAT(assignment.user_set_paths, ElementsAre("dqn.steps"));
  Round();
  EXPECT_EQ(StateOf(job), JobState::kRunning);
  EXPECT_EQ(supervisor_->ScrapeTargets().size(), 1u);
  EXPECT_OK(supervisor_->ReportProgress(KeyOf(job), {.step = 5}));
  EXPECT_EQ(supervisor_->ProgressOf(job)->step, 5);
  EXPECT_OK(supervisor_->Terminal(KeyOf(job), FailureCause::kNone, "", {{"folds", "10"}}));
  EXPECT_EQ(link_->acks, 1);
  ExitAll();
  launcher_.exit = launcher::ExitRecord{};
  Round();
  EXPECT_EQ(StateOf(job), JobState::kSucceeded);
  EXPECT_EQ(Get(job)->result.at("folds"), "10");
  EXPECT_TRUE(supervisor_->ScrapeTargets().empty());
}

TEST_F(SupervisorTest, OneSlotOneJob) {
  const JobId first = Submit("dqn-a"), second = Submit("dqn-b");
  Round();
  EXPECT_EQ(StateOf(first), JobState::kStarting);
  EXPECT_EQ(StateOf(second), JobState::kPending);
  ASSERT_EQ(supervisor_->Queue().size(), 1u);
  EXPECT_THAT(supervisor_->Queue()[0].message, HasSubstr("1 held by jobs/dqn-a"));
  EXPECT_EQ(supervisor_->Slots()[0].held_by, "jobs/dqn-a");
  ExitAll();
  launcher_.exit = launcher::ExitRecord{.exit_code = ExitCodeOf(FailureCause::kData)};
  Round();
  Round();
  EXPECT_EQ(StateOf(first), JobState::kFailed);
  EXPECT_EQ(StateOf(second), JobState::kStarting);
}

TEST_F(SupervisorTest, ACrashIsTriedAgainAfterAPause) {
  const JobId job = Running("dqn-a");
  ExitAll();
  launcher_.exit = launcher::ExitRecord{.exit_code = 0, .signal = 11};
  Round();
  EXPECT_EQ(StateOf(job), JobState::kPending);
  EXPECT_THAT(Get(job)->state_message, HasSubstr("SIGSEGV"));
  Round(absl::Milliseconds(1));
  EXPECT_EQ(StateOf(job), JobState::kPending);
  Round(absl::Seconds(2));
  EXPECT_EQ(StateOf(job), JobState::kStarting);
  EXPECT_EQ(Get(job)->attempts.size(), 2u);
}

TEST_F(SupervisorTest, WorkersThatCannotStartFailTheAttempt) {
  launcher_.launch_status = absl::NotFoundError("no traind-shim in /opt");
  const JobId job = Submit("dqn-a");
  Round();
  Round();
  EXPECT_EQ(StateOf(job), JobState::kPending);
  EXPECT_THAT(Get(job)->attempts[0].error, HasSubstr("no traind-shim in /opt"));
}

// A message of an earlier attempt, of another incarnation or rank is refused and changes nothing.
TEST_F(SupervisorTest, FencesOldWorkers) {
  const JobId job = Running("dqn-a");
  const WorkerKey good = KeyOf(job);
  for (WorkerKey key : {WorkerKey{job, good.attempt, 0, Incarnation(999)}, WorkerKey{job, AttemptId(2), 0, good.incarnation},
                        WorkerKey{job, good.attempt, 1, good.incarnation}, WorkerKey{job, good.attempt, -1, good.incarnation}}) {
    EXPECT_TRUE(absl::IsAborted(supervisor_->Heartbeat(key)));
    EXPECT_TRUE(absl::IsAborted(supervisor_->ReportProgress(key, {.step = 9})));
    EXPECT_TRUE(absl::IsAborted(supervisor_->Terminal(key, FailureCause::kNone, "", {{"x", "y"}})));
    EXPECT_TRUE(absl::IsAborted(supervisor_->CheckpointPrepared(key, {.job = job, .step = 1, .attempt = key.attempt})));
    EXPECT_TRUE(absl::IsAborted(supervisor_->Register(key, {}, std::make_shared<RecordingLink>()).status()));
  }
  EXPECT_TRUE(Get(job)->result.empty());
  EXPECT_FALSE(supervisor_->ProgressOf(job).has_value());
  EXPECT_TRUE(store_.Checkpoints(job).empty());
}

TEST_F(SupervisorTest, CancelReachesTheWorker) {
  const JobId job = Running("dqn-a");
  Cancel(job);
  Round();
  EXPECT_EQ(link_->stops.size(), 1u);
  Round();
  EXPECT_EQ(link_->stops.size(), 1u);
  ExitAll();
  launcher_.exit = launcher::ExitRecord{.exit_code = ExitCodeOf(FailureCause::kPreempted)};
  Round();
  EXPECT_EQ(StateOf(job), JobState::kCancelled);
}

TEST_F(SupervisorTest, AWorkerThatIgnoresTheStopIsKilled) {
  const JobId job = Running("dqn-a");
  Cancel(job);
  Round();
  for (int second = 0; second < 45 && StateOf(job) != JobState::kCancelled; ++second) {
    EXPECT_OK(supervisor_->Heartbeat(KeyOf(job)));
    Round(absl::Seconds(1));
  }
  std::vector<int> sent;
  for (const auto& [pid, signal] : launcher_.signals) sent.push_back(signal);
  EXPECT_THAT(sent, ElementsAre(15, 9));
  EXPECT_EQ(StateOf(job), JobState::kCancelled);
  EXPECT_EQ(Get(job)->state_message, "cancelled in attempt 1");
  EXPECT_EQ(Get(job)->attempts[0].cause, FailureCause::kPreempted);
}

TEST_F(SupervisorTest, CheckpointsAreCommittedThenAnswered) {
  const JobId job = Running("dqn-a");
  std::filesystem::create_directories(folder_ / "jobs/dqn-a/checkpoints/step-1");
  EXPECT_OK(supervisor_->CheckpointPrepared(KeyOf(job), {.job = job, .step = 1, .attempt = AttemptId(1), .folder = "step-1"}));
  EXPECT_EQ(store_.Checkpoints(job).size(), 1u);
  EXPECT_THAT(link_->committed, ElementsAre(1));
  // The worker dropped the first one: its row goes with the next.
  std::filesystem::remove_all(folder_ / "jobs/dqn-a/checkpoints/step-1");
  std::filesystem::create_directories(folder_ / "jobs/dqn-a/checkpoints/step-2");
  EXPECT_OK(supervisor_->CheckpointPrepared(KeyOf(job), {.job = job, .step = 2, .attempt = AttemptId(1), .folder = "step-2"}));
  ASSERT_EQ(store_.Checkpoints(job).size(), 1u);
  EXPECT_EQ(store_.Checkpoints(job)[0].step, 2);
}

// An attempt that starts anew and crashes before it has come as far as the one before it has made no progress: its checkpoints do not give
// it new retries, so that a job that always crashes at one place ends.
TEST_F(SupervisorTest, OnlyACheckpointBeyondAllEarlierOnesRenewsTheRetries) {
  const JobId job = Submit("dqn-a");
  int attempts = 0;
  for (; StateOf(job) != JobState::kFailed && attempts < 20; ++attempts) {
    for (int second = 0; second < 120 && StateOf(job) != JobState::kStarting; ++second) Round(absl::Seconds(1));
    Register(job);
    Round();
    for (const int64_t step : {1, 2}) {
      const std::string name = absl::StrCat("step-", step);
      std::filesystem::create_directories(folder_ / absl::StrCat("jobs/dqn-a/checkpoints/", name));
      const AttemptId number = Get(job)->current_attempt()->number;
      EXPECT_OK(supervisor_->CheckpointPrepared(KeyOf(job), {.job = job, .step = step, .attempt = number, .folder = name}));
    }
    ExitAll();
    launcher_.exit = launcher::ExitRecord{.signal = 11};
    Round();
    launcher_.exit.reset();
  }
  EXPECT_EQ(attempts, 3);
}

// A checkpoint that retention has dropped before its announcement came through is answered, and does not exist.
TEST_F(SupervisorTest, ACheckpointThatIsNotOnDiskGetsNoRow) {
  const JobId job = Running("dqn-a");
  EXPECT_OK(supervisor_->CheckpointPrepared(KeyOf(job), {.job = job, .step = 1, .attempt = AttemptId(1), .folder = "step-1"}));
  EXPECT_TRUE(store_.Checkpoints(job).empty());
  EXPECT_THAT(link_->committed, ElementsAre(1));
}

// A disk that is full for a while: nothing is acknowledged, nothing is lost, and the job goes on.
TEST_F(SupervisorTest, AStoreThatFailsAcknowledgesNothing) {
  const JobId job = Running("dqn-a");
  std::filesystem::create_directories(folder_ / "jobs/dqn-a/checkpoints/step-1");
  store_.FailWith(absl::ResourceExhaustedError("disk full"));
  EXPECT_OK(supervisor_->CheckpointPrepared(KeyOf(job), {.job = job, .step = 1, .attempt = AttemptId(1), .folder = "step-1"}));
  EXPECT_OK(supervisor_->Terminal(KeyOf(job), FailureCause::kNone, "", {{"x", "y"}}));
  EXPECT_TRUE(link_->committed.empty());
  EXPECT_EQ(link_->acks, 0);
  ExitAll();
  launcher_.exit = launcher::ExitRecord{};
  Round();
  EXPECT_EQ(StateOf(job), JobState::kRunning);
  store_.FailWith(absl::OkStatus());
  Round();
  EXPECT_EQ(StateOf(job), JobState::kSucceeded);
}

TEST_F(SupervisorTest, AChangeThatFailsInEveryRoundIsLoggedNowAndThen) {
  const JobId job = Running("dqn-a");
  store_.FailWith(absl::ResourceExhaustedError("disk full"));
  ExitAll();
  launcher_.exit = launcher::ExitRecord{};
  const auto warnings = [this] { return CountOf("a change was not committed", testing::ReadFile(folder_ / "log")); };
  for (int round = 0; round < 40; ++round) Round();
  EXPECT_EQ(warnings(), 1);
  Round(absl::Seconds(30));
  EXPECT_EQ(warnings(), 2);
}

// The daemon ends and starts again: the worker runs on, connects again and finishes.
TEST_F(SupervisorTest, TakesOverWhatRuns) {
  const JobId job = Running("dqn-a");
  Start();
  EXPECT_EQ(launcher_.watched.size(), 1u);
  Round();
  EXPECT_EQ(StateOf(job), JobState::kRunning);
  EXPECT_EQ(launcher_.launched.size(), 1u);
  Register(job);
  Round();
  EXPECT_EQ(StateOf(job), JobState::kRunning);
  ExitAll();
  launcher_.exit = launcher::ExitRecord{};
  Round();
  EXPECT_EQ(StateOf(job), JobState::kSucceeded);
}

TEST_F(SupervisorTest, AnAttemptWithoutProcessesIsTriedAgain) {
  const JobId job = Submit("dqn-a");
  EXPECT_OK(store_.Mutate(
      job, [](domain::Job& changed) { return scheduler::BeginAttempt(changed, {"cpu0"}, Incarnation(3), absl::UnixEpoch()); }, {}));
  Start();
  Round();
  EXPECT_EQ(StateOf(job), JobState::kPending);
  EXPECT_EQ(Get(job)->attempts[0].cause, FailureCause::kCoordinator);
}

TEST_F(SupervisorTest, StrayFoldersGoAtStart) {
  Running("dqn-a");
  std::filesystem::create_directories(folder_ / "jobs/dqn-gone/attempts");
  std::filesystem::create_directories(folder_ / "checks/check-1");
  Start();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "jobs/dqn-a"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "jobs/dqn-gone"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "checks"));
}

TEST_F(SupervisorTest, ADeletedJobTakesItsFolder) {
  const JobId job = Running("dqn-a");
  ExitAll();
  launcher_.exit = launcher::ExitRecord{};
  Round();
  EXPECT_OK(store_.Delete(job, {}));
  Round();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "jobs/dqn-a"));
}

TEST_F(SupervisorTest, ANewStreamReplacesTheOld) {
  const JobId job = Running("dqn-a");
  const auto old = link_;
  Register(job);
  ASSERT_TRUE(old->closed.has_value());
  EXPECT_TRUE(absl::IsAborted(*old->closed));
  // The end of the old stream must not cut the new one off.
  supervisor_->Disconnected(KeyOf(job), old);
  Cancel(job);
  Round();
  EXPECT_EQ(link_->stops.size(), 1u);
}

TEST_F(SupervisorTest, StopPlacingStartsNothing) {
  supervisor_->StopPlacing();
  const JobId job = Submit("dqn-a");
  Round();
  EXPECT_EQ(StateOf(job), JobState::kPending);
  EXPECT_EQ(supervisor_->Queue()[0].reason, "CORDONED");
}

class DataCheckTest : public SupervisorTest {
 protected:
  void Begin() {
    supervisor_->ValidateData("bytes", "sha", {}, [this](absl::StatusOr<std::string> result) { answers_.push_back(std::move(result)); });
  }
  WorkerKey Key() {
    const launcher::RankLaunch& rank = launcher_.launched.back();
    return {rank.job, rank.attempt, 0, rank.incarnation};
  }
  std::vector<absl::StatusOr<std::string>> answers_;
};

TEST_F(DataCheckTest, RunsOutsideTheSlots) {
  Running("dqn-a");
  Begin();
  ASSERT_OK_AND_ASSIGN(const WorkerAssignment assignment, supervisor_->Register(Key(), {}, std::make_shared<RecordingLink>()));
  EXPECT_TRUE(assignment.validate_data_only);
  EXPECT_OK(supervisor_->DataReport(Key(), "{}"));
  EXPECT_OK(supervisor_->Terminal(Key(), FailureCause::kNone, "", {}));
  EXPECT_TRUE(answers_.empty());
  Round();
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_THAT(answers_[0], testing::IsOkAndHolds("{}"));
}

TEST_F(DataCheckTest, AnEnvironmentWithoutDataHasNothingToReport) {
  Begin();
  ASSERT_OK(supervisor_->Register(Key(), {}, std::make_shared<RecordingLink>()));
  EXPECT_OK(supervisor_->DataReport(Key(), ""));
  EXPECT_OK(supervisor_->Terminal(Key(), FailureCause::kNone, "", {}));
  Round();
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_THAT(answers_[0], testing::IsOkAndHolds(""));
}

TEST_F(DataCheckTest, BadDataAndDeadWorkers) {
  Begin();
  EXPECT_OK(supervisor_->Terminal(Key(), FailureCause::kData, "row 7", {}));
  Round();
  EXPECT_EQ(ReasonOf(answers_.at(0).status()), "DATA_INVALID");
  Begin();
  ExitAll();
  Round();
  EXPECT_EQ(answers_.at(1).status().code(), absl::StatusCode::kInternal);
  Begin();
  Round(absl::Minutes(5));
  EXPECT_EQ(answers_.at(2).status().code(), absl::StatusCode::kDeadlineExceeded);
  launcher_.launch_status = absl::NotFoundError("no programs");
  Begin();
  Round();
  EXPECT_THAT(std::string(answers_.at(3).status().message()), HasSubstr("no programs"));
}

TEST_F(DataCheckTest, OnlyAFewAtOnce) {
  Begin();
  Begin();
  Begin();
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace traind::server::supervisor
