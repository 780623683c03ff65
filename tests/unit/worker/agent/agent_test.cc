#include "worker/agent/agent.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/failure.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "tests/unit/worker/agent/fake_coordinator.h"

namespace traind::worker::agent {
namespace {

using internal::v1::Terminal;
using internal::v1::WorkerMessage;
using testing::StatusCodeIs;

class NoMetrics final : public RunMetrics {
 public:
  void Progress(const TaskProgress&) override {}
  void Row(const MetricRow&) override {}
  void CheckpointWritten(const WrittenCheckpoint&) override {}
};

// A task made of one function.
class FunctionTask final : public Task {
 public:
  using Body = std::function<absl::Status(TaskContext&)>;
  explicit FunctionTask(Body body) : body_(std::move(body)) {}
  absl::Status Run(TaskContext& context) override { return body_(context); }
  absl::StatusOr<std::string> ValidateData(TaskContext&) override { return std::string(R"({"rows": 7})"); }

 private:
  Body body_;
};

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() : coordinator_((folder_ / "w").string()) {
    assignment_.mutable_spec()->mutable_dqn()->set_gamma(0.5);
    assignment_.set_spec_sha256("abc");
    assignment_.set_job_folder((folder_ / "job").string());
    assignment_.set_world_size(1);
    assignment_.set_device("cpu");
    (*assignment_.mutable_data_roots())["data"] = folder_.path().string();
    coordinator_.SetAssignment(assignment_);
  }

  AgentOptions Options(FunctionTask::Body body) {
    AgentOptions options;
    options.session.address = coordinator_.address();
    options.session.job = "jobs/x";
    options.session.attempt = 1;
    options.session.incarnation = 7;
    options.session.heartbeat = absl::Milliseconds(10);
    options.session.longest_backoff = absl::Milliseconds(20);
    options.tasks["dqn"] = [body = std::move(body)](const Params&) { return std::make_unique<FunctionTask>(body); };
    return options;
  }

  // Runs an agent around `body` to its end; the exit code.
  int Run(FunctionTask::Body body) {
    Agent agent(Options(std::move(body)), metrics_, clock_);
    return agent.Run();
  }

  // The terminal report that arrived.
  Terminal Reported() {
    const std::vector<WorkerMessage> found = coordinator_.Await(1, [](const WorkerMessage& m) { return m.has_terminal(); });
    return found.empty() ? Terminal() : found.front().terminal();
  }

  // Waits until `context` is asked to stop, as a task's loop would see it.
  static absl::Status AwaitStop(TaskContext& context) {
    while (!context.stop_requested()) std::this_thread::yield();
    return absl::CancelledError("stopped");
  }

  testing::TempDir folder_;
  FakeCoordinator coordinator_;
  internal::v1::Assignment assignment_;
  NoMetrics metrics_;
  SystemClock clock_;
};

TEST_F(AgentTest, RunsTheAssignedTaskAndReportsItsResults) {
  double gamma = 0;
  const int code = Run([&](TaskContext& context) {
    gamma = context.params().Get<double>("dqn.gamma").value_or(0);
    EXPECT_EQ(context.spec_sha256(), "abc");
    EXPECT_TRUE(std::filesystem::is_directory(context.artifacts_folder()));
    EXPECT_TRUE(std::filesystem::is_directory(context.checkpoints_folder()));
    context.SetResult("weights_sha256", "w");
    return absl::OkStatus();
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(gamma, 0.5);
  const Terminal terminal = Reported();
  EXPECT_EQ(terminal.failure_cause(), FailureCauseName(FailureCause::kNone));
  EXPECT_EQ(terminal.result().at("weights_sha256"), "w");
}

TEST_F(AgentTest, AFailureKeepsItsCauseAndSentence) {
  const int code = Run([](TaskContext&) { return WithCause(absl::InvalidArgumentError("row 7: no price"), FailureCause::kData); });
  EXPECT_EQ(code, ExitCodeOf(FailureCause::kData));
  EXPECT_EQ(Reported().failure_cause(), "DATA");
  EXPECT_EQ(Reported().error(), "row 7: no price");
}

TEST_F(AgentTest, ExceptionsBecomeFailures) {
  EXPECT_EQ(Run([](TaskContext&) -> absl::Status { throw std::runtime_error("shapes differ"); }), ExitCodeOf(FailureCause::kCrashed));
  EXPECT_EQ(Reported().failure_cause(), "CRASHED");
  EXPECT_THAT(Reported().error(), ::testing::HasSubstr("shapes differ"));
}

TEST_F(AgentTest, RunningOutOfMemoryIsNamed) {
  EXPECT_EQ(Run([](TaskContext&) -> absl::Status { throw std::bad_alloc(); }), ExitCodeOf(FailureCause::kOomHost));
  EXPECT_EQ(Reported().failure_cause(), "OOM_HOST");
}

TEST_F(AgentTest, ATaskThatItDoesNotHaveIsAConfigurationError) {
  AgentOptions options = Options(nullptr);
  options.tasks.clear();
  options.tasks["ppo"] = nullptr;
  Agent agent(options, metrics_, clock_);
  EXPECT_EQ(agent.Run(), ExitCodeOf(FailureCause::kConfig));
  EXPECT_EQ(Reported().error(), "this worker has no task dqn; it has ppo");
}

TEST_F(AgentTest, AStopOfTheCoordinatorEndsTheTask) {
  const int code = Run([this](TaskContext& context) {
    coordinator_.SendStop(internal::v1::Stop::CANCEL);
    return AwaitStop(context);
  });
  EXPECT_EQ(code, ExitCodeOf(FailureCause::kPreempted));
  EXPECT_EQ(Reported().failure_cause(), "PREEMPTED");
}

TEST_F(AgentTest, AStopBeforeTheTaskBeganIsSeenByIt) {
  Agent* running = nullptr;
  AgentOptions options = Options(AwaitStop);
  const TaskFactory make = options.tasks["dqn"];
  options.tasks["dqn"] = [&](const Params& params) {
    running->RequestStop();
    return make(params);
  };
  Agent agent(options, metrics_, clock_);
  running = &agent;
  EXPECT_EQ(agent.Run(), ExitCodeOf(FailureCause::kPreempted));
}

TEST_F(AgentTest, AFencedWorkerEndsWithoutAReport) {
  const int code = Run([this](TaskContext& context) {
    coordinator_.FenceEverybody();
    return AwaitStop(context);
  });
  EXPECT_EQ(code, ExitCodeOf(FailureCause::kPeer));
}

TEST_F(AgentTest, AnOrphanEndsByItself) {
  AgentOptions options = Options([this](TaskContext& context) {
    coordinator_.Stop();
    return AwaitStop(context);
  });
  options.session.orphan_after = absl::Milliseconds(100);
  Agent agent(options, metrics_, clock_);
  EXPECT_EQ(agent.Run(), ExitCodeOf(FailureCause::kCoordinator));
}

TEST_F(AgentTest, ValidationReportsTheDataAndTrainsNothing) {
  assignment_.set_validate_data_only(true);
  coordinator_.SetAssignment(assignment_);
  bool ran = false;
  EXPECT_EQ(Run([&](TaskContext&) {
              ran = true;
              return absl::OkStatus();
            }),
            0);
  EXPECT_FALSE(ran);
  const auto reports = coordinator_.Await(1, [](const WorkerMessage& m) { return m.has_data_report(); });
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports.front().data_report().report_json(), R"({"rows": 7})");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "job"));
}

TEST_F(AgentTest, DataFilesAreOpenedBelowTheirRootOnly) {
  folder_.Write("a.csv", "x");
  Run([](TaskContext& context) {
    EXPECT_OK(context.OpenData("data:a.csv").status());
    EXPECT_THAT(context.OpenData("data:../a.csv").status(), ::testing::Not(StatusCodeIs(absl::StatusCode::kOk)));
    const absl::Status missing = context.OpenData("data:b.csv").status();
    EXPECT_EQ(CauseOf(missing), FailureCause::kData);
    EXPECT_THAT(std::string(missing.message()), ::testing::HasSubstr("b.csv"));
    EXPECT_EQ(CauseOf(context.OpenData("nowhere:a.csv").status()), FailureCause::kData);
    return absl::OkStatus();
  });
}

}  // namespace
}  // namespace traind::worker::agent
