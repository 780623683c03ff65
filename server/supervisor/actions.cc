// What the reconciler decided, done: rows first, then processes.
#include <signal.h>

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "server/supervisor/job_folders.h"
#include "server/supervisor/reconciling_supervisor.h"

namespace traind::server::supervisor {
namespace {

// A full disk fails the same change in every round.
constexpr absl::Duration kRepeatWarning = absl::Seconds(30);

}  // namespace

void ReconcilingSupervisor::Apply(const scheduler::Action& action, absl::Duration now) {
  std::visit([&](const auto& one) { Do(one, now); }, action);
}

bool ReconcilingSupervisor::Commit(const JobId& job, const std::string& action, std::string message, store::JobStore::Mutation mutation) {
  domain::Event event;
  event.actor = "traind";
  event.action = action;
  event.message = std::move(message);
  const absl::Status status = store_.Mutate(job, std::move(mutation), std::move(event)).status();
  if (IsNewlyUncommitted(job, status.ok())) {
    log_.Warning("a change was not committed; it is tried again",
                 {{"job_id", job.value()}, {"action", action}, {"why", std::string(status.message())}});
  }
  return status.ok();
}

bool ReconcilingSupervisor::IsNewlyUncommitted(const JobId& job, bool committed) {
  MutexLock lock(mutex_);
  if (committed) {
    uncommitted_.erase(job);
    return false;
  }
  const absl::Duration now = clock_.Steady();
  const auto [logged, first] = uncommitted_.emplace(job, now);
  if (!first && now - logged->second < kRepeatWarning) return false;
  logged->second = now;
  return true;
}

void ReconcilingSupervisor::Do(const scheduler::ExtendLeases& action, absl::Duration) {
  log_.Warning("the machine or the daemon stood still; leases are extended", {{"seconds", absl::ToDoubleSeconds(action.by)}});
  MutexLock lock(mutex_);
  for (auto& [job, facts] : facts_) {
    if (!facts.attempt) continue;
    facts.attempt->launched += action.by;
    for (scheduler::RankFacts& rank : facts.attempt->ranks) rank.last_heard += action.by;
  }
}

void ReconcilingSupervisor::Do(const scheduler::StartAttempt& action, absl::Duration now) {
  const Incarnation incarnation(options_.random());
  const absl::Time wall = clock_.Now();
  std::string slots;
  for (const std::string& slot : action.slots) absl::StrAppend(&slots, slots.empty() ? "" : ", ", slot);
  if (!Commit(action.job, "ATTEMPT_STARTED", absl::StrCat("on ", slots),
              [&](domain::Job& job) { return scheduler::BeginAttempt(job, action.slots, incarnation, wall); })) {
    return;
  }
  const absl::StatusOr<store::JobPtr> job = store_.Get(action.job);
  if (!job.ok()) return;
  LiveAttempt attempt{.number = (*job)->current_attempt()->number,
                      .incarnation = incarnation,
                      .slots = action.slots,
                      .ranks = std::vector<RankSession>(action.slots.size())};
  {
    // Before the start: a quick worker registers before Launch has returned.
    MutexLock lock(mutex_);
    attempts_[action.job] = attempt;
    scheduler::JobFacts& facts = facts_[action.job];
    facts.since = now;
    facts.attempt.emplace();
    facts.attempt->launched = now;
    facts.attempt->ranks.resize(action.slots.size());
  }
  const absl::Status launched = LaunchGang(**job, attempt);
  if (launched.ok()) return;
  log_.Error("the workers could not be started", {{"job_id", action.job.value()}, {"why", std::string(launched.message())}});
  MutexLock lock(mutex_);
  for (scheduler::RankFacts& rank : facts_[action.job].attempt->ranks) {
    rank.end = {FailureCause::kCrashed, absl::StrCat("the worker could not be started: ", std::string(launched.message()))};
  }
}

std::vector<launcher::RankLaunch> ReconcilingSupervisor::GangOf(const JobId& job, const LiveAttempt& attempt) const {
  std::vector<launcher::RankLaunch> gang;
  for (size_t rank = 0; rank < attempt.slots.size(); ++rank) {
    launcher::RankLaunch launch;
    launch.job = job;
    launch.attempt = attempt.number;
    launch.rank = static_cast<int>(rank);
    launch.incarnation = attempt.incarnation;
    launch.slot = attempt.slots[rank];
    launch.job_folder = JobFolder(options_.state_folder, job);
    for (const MachineSlot& slot : options_.slots) {
      if (slot.name != launch.slot) continue;
      launch.visible_gpu = slot.visible_gpu;
      launch.device = slot.type == "gpu" ? "cuda:0" : "cpu";
    }
    gang.push_back(std::move(launch));
  }
  return gang;
}

absl::Status ReconcilingSupervisor::LaunchGang(const domain::Job& job, const LiveAttempt& attempt) {
  const std::string folder = JobFolder(options_.state_folder, job.id);
  RETURN_IF_ERROR(os::MakeFolders(folder));
  RETURN_IF_ERROR(os::WriteFileDurably(folder + "/spec.yaml", options_.render_spec(job.spec_bytes)));
  ASSIGN_OR_RETURN(const std::vector<domain::ProcessId> shims, launcher_.Launch(GangOf(job.id, attempt)));
  {
    MutexLock lock(mutex_);
    attempts_[job.id].shims = shims;
  }
  // Without this row a later life of the daemon would not find them. They are stopped when it cannot be written.
  if (Commit(job.id, "STATE_CHANGED", "workers started", [&](domain::Job& changed) {
        if (changed.current_attempt() != nullptr && changed.current_attempt()->number == attempt.number)
          changed.current_attempt()->shims = shims;
        return absl::OkStatus();
      })) {
    return absl::OkStatus();
  }
  for (const domain::ProcessId& shim : shims) launcher_.Signal(shim, SIGKILL).IgnoreError();
  return absl::OkStatus();
}

void ReconcilingSupervisor::Do(const scheduler::ReportRunning& action, absl::Duration now) {
  if (!Commit(action.job, "STATE_CHANGED", "RUNNING", scheduler::MarkRunning)) return;
  MutexLock lock(mutex_);
  facts_[action.job].since = now;
}

void ReconcilingSupervisor::Do(const scheduler::RequestStop& action, absl::Duration now) {
  std::vector<std::shared_ptr<WorkerLink>> links;
  {
    MutexLock lock(mutex_);
    for (const RankSession& rank : attempts_[action.job].ranks) {
      if (rank.link != nullptr) links.push_back(rank.link);
    }
    scheduler::AttemptFacts& facts = *facts_[action.job].attempt;
    facts.stop_requested = now;
    if (action.verdict) facts.verdict = action.verdict;
  }
  const WorkerLink::StopKind kind =
      action.kind == scheduler::StopKind::kCancel ? WorkerLink::StopKind::kCancel : WorkerLink::StopKind::kSuspend;
  for (const std::shared_ptr<WorkerLink>& link : links) link->Stop(kind, action.reason);
}

void ReconcilingSupervisor::SignalRanks(const JobId& job, int signal, const std::optional<scheduler::Verdict>& verdict, bool killed,
                                        absl::Duration now) {
  std::vector<domain::ProcessId> shims;
  {
    MutexLock lock(mutex_);
    shims = attempts_[job].shims;
    scheduler::AttemptFacts& facts = *facts_[job].attempt;
    (killed ? facts.killed : facts.terminated) = now;
    if (verdict) facts.verdict = verdict;
  }
  for (const domain::ProcessId& shim : shims) {
    const absl::Status sent = launcher_.Signal(shim, signal);
    if (!sent.ok()) log_.Error("a worker could not be signalled", {{"job_id", job.value()}, {"why", std::string(sent.message())}});
  }
}

void ReconcilingSupervisor::Do(const scheduler::Terminate& action, absl::Duration now) {
  SignalRanks(action.job, SIGTERM, action.verdict, false, now);
}

void ReconcilingSupervisor::Do(const scheduler::Kill& action, absl::Duration now) {
  SignalRanks(action.job, SIGKILL, action.verdict, true, now);
}

void ReconcilingSupervisor::Do(const scheduler::FinishAttempt& action, absl::Duration now) {
  const absl::Time wall = clock_.Now();
  const std::string message = action.end.cause == FailureCause::kNone ? std::string("done")
                                                                      : absl::StrCat(FailureCauseName(action.end.cause), ": ",
                                                                                     action.end.error, " (", action.decision.message, ")");
  if (!Commit(action.job, "ATTEMPT_ENDED", message,
              [&](domain::Job& job) { return scheduler::EndAttempt(job, action.attempt, action.end, action.decision, wall); })) {
    return;
  }
  log_.Info("attempt ended", {{"job_id", action.job.value()}, {"attempt", action.attempt.value()}, {"how", message}});
  MutexLock lock(mutex_);
  attempts_.erase(action.job);
  scheduler::JobFacts& facts = facts_[action.job];
  facts.attempt.reset();
  facts.since = now;
  if (action.decision.retry) facts.backoff_until = now + action.decision.backoff;
}

void ReconcilingSupervisor::Do(const scheduler::FailWaiting& action, absl::Duration) {
  const absl::Time wall = clock_.Now();
  Commit(action.job, "STATE_CHANGED", action.error,
         [&](domain::Job& job) { return scheduler::FailPending(job, action.cause, action.error, wall); });
}

void ReconcilingSupervisor::Do(const scheduler::DeleteFinished& action, absl::Duration) {
  domain::Event event;
  event.actor = "traind";
  event.action = "DELETED";
  event.message = "retention of finished jobs";
  const absl::Status deleted = store_.Delete(action.job, std::move(event));
  if (!deleted.ok())
    log_.Warning("a finished job was not removed", {{"job_id", action.job.value()}, {"why", std::string(deleted.message())}});
}

}  // namespace traind::server::supervisor
