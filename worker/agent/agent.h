// One worker process: registers, runs one task, says how it ended.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/base/params.h"
#include "worker/agent/agent_context.h"
#include "worker/agent/run_metrics.h"
#include "worker/agent/session.h"
#include "worker/task/task.h"

namespace traind::worker::agent {

struct AgentOptions {
  SessionOptions session;
  // "dqn" → how to make its task. The names are those of the specification's task.
  std::map<std::string, TaskFactory> tasks;
  // Time in which the coordinator must acknowledge how the job ended; the shim's exit record says the same.
  absl::Duration terminal_timeout = absl::Seconds(20);
};

// Used from one thread, but for RequestStop.
class Agent final : private SessionEvents {
 public:
  // `metrics` and `clock` outlive the agent.
  Agent(AgentOptions options, RunMetrics& metrics, const Clock& clock);

  // Runs the job to its end and returns the process's exit code (common/base/failure.h).
  int Run();

  // Asks the task to stop; async-signal-unsafe, call it from an ordinary thread.
  void RequestStop();

 private:
  enum class Interruption { kNone, kStopped, kFenced, kOrphaned };

  void OnAssignment(const internal::v1::Assignment& assignment) override;
  void OnStop(internal::v1::Stop::Kind kind, const std::string& reason) override;
  void OnFenced(const std::string& reason) override;
  void OnOrphaned() override;

  void Interrupt(Interruption interruption);
  // The assignment, or nothing if the run was interrupted before there was one.
  std::optional<internal::v1::Assignment> AwaitAssignment();
  absl::Status RunTask(const internal::v1::Assignment& assignment, std::map<std::string, std::string>& results);
  absl::Status RunTaskUnguarded(const internal::v1::Assignment& assignment, std::map<std::string, std::string>& results);
  int Finish(const absl::Status& status, const std::map<std::string, std::string>& results);

  const AgentOptions options_;
  RunMetrics& metrics_;
  const Clock& clock_;
  Session session_;

  Mutex mutex_;
  CondVar changed_;
  std::optional<internal::v1::Assignment> assignment_ ABSL_GUARDED_BY(mutex_);
  Interruption interruption_ ABSL_GUARDED_BY(mutex_) = Interruption::kNone;
  AgentContext* context_ ABSL_GUARDED_BY(mutex_) = nullptr;  // while a task runs
};

}  // namespace traind::worker::agent
