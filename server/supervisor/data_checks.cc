#include "server/supervisor/data_checks.h"

#include <signal.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "server/supervisor/job_folders.h"

namespace traind::server::supervisor {
namespace {

// No job has such an id: they begin with the name of their task.
constexpr char kPrefix[] = "check-";

absl::Status BadData(const std::string& error) { return WithReason(absl::InvalidArgumentError(error), "DATA_INVALID"); }

}  // namespace

void DataChecks::Begin(std::string spec_bytes, std::string spec_sha256, std::vector<std::string> user_set_paths,
                       Supervisor::ValidateDone done) {
  const JobId id(absl::StrFormat("%s%016x", kPrefix, options_.random()));
  launcher::RankLaunch rank;
  rank.job = id;
  rank.attempt = AttemptId(1);
  rank.incarnation = Incarnation(options_.random());
  rank.device = "cpu";
  rank.job_folder = CheckFolder(options_.state_folder, id);
  bool full = false;
  {
    MutexLock lock(mutex_);
    full = static_cast<int>(running_.size()) >= options_.at_once;
    if (!full) {
      running_[id] = {std::move(spec_bytes), std::move(spec_sha256), std::move(user_set_paths), done, clock_.Steady(), std::nullopt, ""};
      attempts_[id] = {.number = rank.attempt, .incarnation = rank.incarnation, .ranks = std::vector<RankSession>(1)};
    }
  }
  if (full) {
    return done(absl::ResourceExhaustedError(absl::StrCat(options_.at_once, " data checks run already; try again when one has ended")));
  }
  const absl::StatusOr<std::vector<domain::ProcessId>> shims = launcher_.Launch({rank});
  MutexLock lock(mutex_);
  const auto check = running_.find(id);
  if (check == running_.end()) return;
  if (shims.ok()) {
    check->second.shim = shims->front();
  } else {
    attempts_[id].ranks[0].reported = {FailureCause::kCrashed, std::string(shims.status().message())};
  }
}

std::optional<absl::StatusOr<std::string>> DataChecks::ResultOf(const JobId& id, const Running& check, const LiveAttempt& attempt) const {
  const std::optional<scheduler::RankEnd>& reported = attempt.ranks[0].reported;
  if (reported.has_value()) {
    if (reported->cause == FailureCause::kNone && check.report.has_value()) return *check.report;
    if (reported->cause == FailureCause::kData || reported->cause == FailureCause::kConfig) return BadData(reported->error);
    return absl::InternalError(absl::StrCat("the worker that checked the data failed: ", reported->error));
  }
  if (clock_.Steady() - check.started > options_.timeout) {
    return absl::DeadlineExceededError(absl::StrCat("the data check took longer than ", absl::FormatDuration(options_.timeout)));
  }
  if (!check.shim.has_value() || launcher_.IsAlive(*check.shim)) return std::nullopt;
  return absl::InternalError(absl::StrCat("the worker that checked the data ended without an answer (", id.value(), ")"));
}

void DataChecks::Poll() {
  struct Ended {
    JobId id;
    std::optional<domain::ProcessId> shim;
    Supervisor::ValidateDone done;
    absl::StatusOr<std::string> result;
  };
  std::vector<Ended> ended;
  {
    MutexLock lock(mutex_);
    for (auto& [id, check] : running_) {
      std::optional<absl::StatusOr<std::string>> result = ResultOf(id, check, attempts_[id]);
      if (result.has_value()) ended.push_back({id, check.shim, std::move(check.done), *std::move(result)});
    }
    for (const Ended& check : ended) {
      running_.erase(check.id);
      attempts_.erase(check.id);
    }
  }
  for (Ended& check : ended) {
    check.done(std::move(check.result));
    if (check.shim.has_value()) launcher_.Signal(*check.shim, SIGKILL).IgnoreError();
    // What cannot be removed now is removed at the next start.
    os::RemoveTree(CheckFolder(options_.state_folder, check.id)).IgnoreError();
  }
}

bool DataChecks::Owns(const JobId& job) const { return absl::StartsWith(job.value(), kPrefix); }

absl::StatusOr<WorkerAssignment> DataChecks::Register(const WorkerKey& key, std::shared_ptr<WorkerLink> link) {
  MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(LiveAttempt* const attempt, FindAttempt(attempts_, key));
  attempt->ranks[0].link = std::move(link);
  const Running& check = running_[key.job];
  WorkerAssignment assignment;
  assignment.spec_bytes = check.spec_bytes;
  assignment.spec_sha256 = check.spec_sha256;
  assignment.user_set_paths = check.user_set_paths;
  assignment.data_roots = options_.data_roots;
  assignment.job_folder = CheckFolder(options_.state_folder, key.job);
  assignment.validate_data_only = true;
  return assignment;
}

absl::Status DataChecks::Check(const WorkerKey& key) {
  MutexLock lock(mutex_);
  return FindAttempt(attempts_, key).status();
}

absl::Status DataChecks::Terminal(const WorkerKey& key, FailureCause cause, const std::string& error) {
  std::shared_ptr<WorkerLink> link;
  {
    MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(LiveAttempt* const attempt, FindAttempt(attempts_, key));
    attempt->ranks[0].reported = {cause, error};
    link = attempt->ranks[0].link;
  }
  if (link != nullptr) link->TerminalAck();
  return absl::OkStatus();
}

absl::Status DataChecks::DataReport(const WorkerKey& key, const std::string& report_json) {
  MutexLock lock(mutex_);
  RETURN_IF_ERROR(FindAttempt(attempts_, key).status());
  running_[key.job].report = report_json;
  return absl::OkStatus();
}

}  // namespace traind::server::supervisor
