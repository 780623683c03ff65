#include "worker/agent/agent.h"

#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "common/spec/task_name.h"
#include "common/spec/text.h"
#include "common/spec/to_params.h"

namespace traind::worker::agent {
namespace {

absl::StatusOr<std::unique_ptr<Task>> MakeTask(const std::map<std::string, TaskFactory>& tasks, const std::string& name,
                                               const Params& params) {
  const auto factory = tasks.find(name);
  if (factory != tasks.end()) return factory->second(params);
  std::vector<std::string> known;
  for (const auto& [task, unused] : tasks) known.push_back(task);
  return WithCause(absl::InvalidArgumentError(absl::StrCat("this worker has no task ", name, "; it has ", absl::StrJoin(known, ", "))),
                   FailureCause::kConfig);
}

}  // namespace

Agent::Agent(AgentOptions options, RunMetrics& metrics, const Clock& clock)
    : options_(std::move(options)), metrics_(metrics), clock_(clock), session_(options_.session, *this, clock) {}

int Agent::Run() {
  session_.Start();
  const std::optional<internal::v1::Assignment> assignment = AwaitAssignment();
  if (!assignment.has_value()) return Finish(absl::CancelledError("stopped before the job began"), {});
  std::map<std::string, std::string> results;
  const absl::Status status = RunTask(*assignment, results);
  return Finish(status, results);
}

void Agent::RequestStop() { Interrupt(Interruption::kStopped); }

std::optional<internal::v1::Assignment> Agent::AwaitAssignment() {
  MutexLock lock(mutex_);
  changed_.Await(mutex_,
                 [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return assignment_.has_value() || interruption_ != Interruption::kNone; });
  if (interruption_ != Interruption::kNone) return std::nullopt;
  return assignment_;
}

absl::Status Agent::RunTask(const internal::v1::Assignment& assignment, std::map<std::string, std::string>& results) {
  // Libraries below the task throw; past this point there are only statuses.
  try {
    return RunTaskUnguarded(assignment, results);
  } catch (const std::bad_alloc&) {
    return WithCause(absl::ResourceExhaustedError(
                         "the worker ran out of memory; lower the sizes of network, batch and replay, or train fewer jobs at once"),
                     FailureCause::kOomHost);
  } catch (const std::exception& error) {
    return WithCause(absl::InternalError(absl::StrCat("the task ended with an exception: ", error.what())), FailureCause::kCrashed);
  }
}

absl::Status Agent::RunTaskUnguarded(const internal::v1::Assignment& assignment, std::map<std::string, std::string>& results) {
  const std::vector<std::string> user_set(assignment.user_set_paths().begin(), assignment.user_set_paths().end());
  const Params params = spec::ToParams(assignment.spec(), user_set);
  RunFacts facts;
  facts.spec_sha256 = assignment.spec_sha256();
  facts.data_roots = {assignment.data_roots().begin(), assignment.data_roots().end()};
  facts.job_folder = assignment.job_folder();
  facts.rank = options_.session.rank;
  facts.world_size = assignment.world_size();
  facts.device = assignment.device();
  AgentContext context(params, std::move(facts), session_, metrics_, clock_);
  ASSIGN_OR_RETURN(const std::unique_ptr<Task> task, MakeTask(options_.tasks, spec::TaskName(assignment.spec()), params));
  {
    MutexLock lock(mutex_);
    context_ = &context;
    if (interruption_ != Interruption::kNone) context.RequestStop();
  }
  const auto forget = absl::MakeCleanup([&] {
    MutexLock lock(mutex_);
    context_ = nullptr;
    results = context.results();
  });
  if (assignment.validate_data_only()) {
    ASSIGN_OR_RETURN(const std::string report, task->ValidateData(context));
    session_.ReportData(report);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(os::MakeFolders(context.artifacts_folder()));
  RETURN_IF_ERROR(os::MakeFolders(context.checkpoints_folder()));
  return task->Run(context);
}

int Agent::Finish(const absl::Status& status, const std::map<std::string, std::string>& results) {
  Interruption interruption;
  {
    MutexLock lock(mutex_);
    interruption = interruption_;
  }
  if (interruption == Interruption::kFenced) return ExitCodeOf(FailureCause::kPeer);
  // What was done before anybody missed the coordinator is done.
  if (interruption == Interruption::kOrphaned && !status.ok()) return ExitCodeOf(FailureCause::kCoordinator);
  // A stop that was asked for is no failure of the job; the coordinator knows why it asked.
  const bool stopped = status.code() == absl::StatusCode::kCancelled;
  const FailureCause cause = stopped ? FailureCause::kPreempted : CauseOf(status);
  internal::v1::Terminal terminal;
  terminal.set_failure_cause(std::string(FailureCauseName(cause)));
  if (!status.ok()) terminal.set_error(spec::Legible(status.message()));
  for (const auto& [key, value] : results) (*terminal.mutable_result())[key] = value;
  // Without an answer the exit code and the shim's record say the same.
  session_.ReportTerminal(terminal, options_.terminal_timeout).IgnoreError();
  session_.Shutdown();
  return ExitCodeOf(cause);
}

void Agent::OnAssignment(const internal::v1::Assignment& assignment) {
  MutexLock lock(mutex_);
  // A later registration brings the same assignment again.
  if (!assignment_.has_value()) assignment_ = assignment;
  changed_.NotifyAll();
}

void Agent::OnStop(internal::v1::Stop::Kind, const std::string&) { Interrupt(Interruption::kStopped); }
void Agent::OnFenced(const std::string&) { Interrupt(Interruption::kFenced); }
void Agent::OnOrphaned() { Interrupt(Interruption::kOrphaned); }

void Agent::Interrupt(Interruption interruption) {
  MutexLock lock(mutex_);
  // Being fenced or orphaned outweighs a stop: nobody waits for a report then.
  if (interruption_ == Interruption::kNone || interruption_ == Interruption::kStopped) interruption_ = interruption;
  if (context_ != nullptr) context_->RequestStop();
  changed_.NotifyAll();
}

}  // namespace traind::worker::agent
