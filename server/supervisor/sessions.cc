// What workers say. Every message is checked against the current attempt first.
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "server/supervisor/job_folders.h"
#include "server/supervisor/reconciling_supervisor.h"

namespace traind::server::supervisor {

absl::StatusOr<WorkerAssignment> ReconcilingSupervisor::Register(const WorkerKey& key, const WorkerHello& hello,
                                                                 std::shared_ptr<WorkerLink> link) {
  if (checks_.Owns(key.job)) return checks_.Register(key, std::move(link));
  ASSIGN_OR_RETURN(const store::JobPtr job, store_.Get(key.job));
  WorkerAssignment assignment;
  assignment.spec_bytes = job->spec_bytes;
  assignment.spec_sha256 = job->spec_sha256;
  for (const auto& [path, origin] : job->origins) assignment.user_set_paths.push_back(path);
  assignment.data_roots = options_.data_roots;
  assignment.job_folder = JobFolder(options_.state_folder, key.job);
  std::shared_ptr<WorkerLink> replaced;
  {
    MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(LiveAttempt* const attempt, FindAttempt(attempts_, key));
    RankSession& session = attempt->ranks[static_cast<size_t>(key.rank)];
    replaced = std::exchange(session.link, std::move(link));
    session.metrics_address = hello.metrics_address;
    assignment.world_size = static_cast<int>(attempt->ranks.size());
    for (const MachineSlot& slot : options_.slots) {
      if (slot.name == attempt->slots[static_cast<size_t>(key.rank)]) assignment.device = slot.type == "gpu" ? "cuda:0" : "cpu";
    }
    scheduler::RankFacts& rank = facts_[key.job].attempt->ranks[static_cast<size_t>(key.rank)];
    rank.registered = true;
    rank.last_heard = clock_.Steady();
    awake_ = true;
    wake_.NotifyAll();
  }
  if (replaced != nullptr) replaced->Close(absl::AbortedError("the worker has connected again"));
  return assignment;
}

absl::Status ReconcilingSupervisor::Heartbeat(const WorkerKey& key) {
  if (checks_.Owns(key.job)) return checks_.Check(key);
  MutexLock lock(mutex_);
  RETURN_IF_ERROR(FindAttempt(attempts_, key).status());
  facts_[key.job].attempt->ranks[static_cast<size_t>(key.rank)].last_heard = clock_.Steady();
  return absl::OkStatus();
}

absl::Status ReconcilingSupervisor::ReportProgress(const WorkerKey& key, const Progress& progress) {
  if (checks_.Owns(key.job)) return checks_.Check(key);
  MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(LiveAttempt* const attempt, FindAttempt(attempts_, key));
  facts_[key.job].attempt->ranks[static_cast<size_t>(key.rank)].last_heard = clock_.Steady();
  // Ranks go in step; the first speaks for all.
  if (key.rank == 0) attempt->progress = progress;
  return absl::OkStatus();
}

absl::Status ReconcilingSupervisor::CheckpointPrepared(const WorkerKey& key, const domain::Checkpoint& checkpoint) {
  {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(FindAttempt(attempts_, key).status());
  }
  // The worker removes the folders that retention drops, perhaps this one before its announcement came through; their rows follow.
  const auto on_disk = [folder = absl::StrCat(JobFolder(options_.state_folder, key.job), "/checkpoints/")](const domain::Checkpoint& row) {
    std::error_code ignored;
    return std::filesystem::exists(folder + row.folder, ignored);
  };
  if (on_disk(checkpoint)) {
    domain::Checkpoint row = checkpoint;
    row.create_time = clock_.Now();
    const absl::Status committed = store_.CommitCheckpoint(row, key.incarnation);
    if (absl::IsAborted(committed)) return committed;
    if (!committed.ok()) {
      // Not answered: the worker announces it again when its session comes back, and trains on meanwhile.
      log_.Warning("a checkpoint was not committed",
                   {{"job_id", key.job.value()}, {"step", row.step}, {"why", std::string(committed.message())}});
      return absl::OkStatus();
    }
  }
  std::vector<int64_t> gone;
  std::optional<AttemptId> newest;
  for (const domain::Checkpoint& row : store_.Checkpoints(key.job)) {
    if (on_disk(row)) {
      newest = row.attempt;
    } else {
      gone.push_back(row.step);
    }
  }
  if (!gone.empty()) store_.ForgetCheckpoints(key.job, gone).IgnoreError();  // tried again with the next checkpoint
  std::shared_ptr<WorkerLink> link;
  {
    MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(LiveAttempt* const attempt, FindAttempt(attempts_, key));
    if (newest.has_value()) facts_[key.job].newest_checkpoint = *newest;
    link = attempt->ranks[static_cast<size_t>(key.rank)].link;
  }
  if (link != nullptr) link->CheckpointCommitted(checkpoint.step);
  return absl::OkStatus();
}

absl::Status ReconcilingSupervisor::Terminal(const WorkerKey& key, FailureCause cause, const std::string& error,
                                             const std::map<std::string, std::string>& result) {
  if (checks_.Owns(key.job)) {
    RETURN_IF_ERROR(checks_.Terminal(key, cause, error));
    Wake();
    return absl::OkStatus();
  }
  {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(FindAttempt(attempts_, key).status());
  }
  // On disk before the answer: the worker forgets it then.
  if (!result.empty() && !Commit(key.job, "RESULT_REPORTED", "", [&](domain::Job& job) {
        for (const auto& [name, value] : result) job.result[name] = value;
        return absl::OkStatus();
      })) {
    return absl::OkStatus();
  }
  std::shared_ptr<WorkerLink> link;
  {
    MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(LiveAttempt* const attempt, FindAttempt(attempts_, key));
    RankSession& session = attempt->ranks[static_cast<size_t>(key.rank)];
    session.reported = scheduler::RankEnd{cause, error, ExitCodeOf(cause), 0};
    link = session.link;
  }
  if (link != nullptr) link->TerminalAck();
  return absl::OkStatus();
}

absl::Status ReconcilingSupervisor::DataReport(const WorkerKey& key, const std::string& report_json) {
  if (checks_.Owns(key.job)) return checks_.DataReport(key, report_json);
  return absl::InvalidArgumentError("only a data check reports data");
}

void ReconcilingSupervisor::Disconnected(const WorkerKey& key, const std::shared_ptr<WorkerLink>& link) {
  if (checks_.Owns(key.job)) return;
  MutexLock lock(mutex_);
  const absl::StatusOr<LiveAttempt*> attempt = FindAttempt(attempts_, key);
  if (!attempt.ok()) return;
  RankSession& session = (*attempt)->ranks[static_cast<size_t>(key.rank)];
  // A newer stream of the same worker may have taken its place.
  if (session.link == link) session.link = nullptr;
}

}  // namespace traind::server::supervisor
