// Construction, the loop, and the views; see sessions.cc and actions.cc for what workers say and what is done.
#include "server/supervisor/reconciling_supervisor.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "server/supervisor/job_folders.h"

namespace traind::server::supervisor {
namespace {

// When a waiting job began to wait: with its creation, or with the end of its last attempt.
absl::Time QueuedSince(const domain::Job& job) { return job.attempts.empty() ? job.create_time : job.attempts.back().end_time; }

}  // namespace

ReconcilingSupervisor::ReconcilingSupervisor(SupervisorOptions options, store::JobStore& store, launcher::Launcher& launcher,
                                             const Clock& clock, obs::Logger& log)
    : options_(std::move(options)),
      store_(store),
      launcher_(launcher),
      clock_(clock),
      log_(log),
      jitter_seed_(options_.random()),
      checks_({.state_folder = options_.state_folder, .data_roots = options_.data_roots, .random = options_.random}, launcher, clock),
      due_(clock.Steady()) {
  launcher_.SetExitListener([this] { Wake(); });
  listener_ = store_.AddListener([this](const store::StoreChange& change) { OnChange(change); });
}

ReconcilingSupervisor::~ReconcilingSupervisor() {
  store_.RemoveListener(listener_);
  Shutdown();
}

absl::Status ReconcilingSupervisor::Adopt() {
  std::set<JobId> known;
  const absl::Duration now = clock_.Steady();
  const std::vector<store::JobPtr> jobs = store_.List();
  for (const store::JobPtr& job : jobs) {
    known.insert(job->id);
    if (domain::IsTerminal(job->state)) continue;
    const std::vector<domain::Checkpoint> checkpoints = store_.Checkpoints(job->id);
    MutexLock lock(mutex_);
    scheduler::JobFacts& facts = facts_[job->id];
    facts.since = scheduler::AnchorSince(QueuedSince(*job), clock_.Now(), now);
    if (!checkpoints.empty()) facts.newest_checkpoint = checkpoints.back().attempt;
  }
  for (const store::JobPtr& job : jobs) {
    if (!domain::IsActive(job->state)) continue;
    const domain::Attempt* const attempt = job->current_attempt();
    if (attempt == nullptr || attempt->state == domain::AttemptState::kEnded) continue;
    for (const domain::ProcessId& shim : attempt->shims) launcher_.Watch(shim);
    log_.Info("attempt taken over", {{"job_id", job->id.value()}, {"attempt", attempt->number.value()}});
    MutexLock lock(mutex_);
    attempts_[job->id] = {.number = attempt->number,
                          .incarnation = attempt->incarnation,
                          .slots = attempt->slots,
                          .shims = attempt->shims,
                          .ranks = std::vector<RankSession>(attempt->slots.size())};
    scheduler::JobFacts& facts = facts_[job->id];
    facts.since = scheduler::AnchorSince(attempt->start_time, clock_.Now(), now);
    facts.attempt.emplace();
    facts.attempt->launched = now;
    facts.attempt->ranks.resize(attempt->slots.size());
    // The daemon ended between the row and the start of the processes.
    if (attempt->shims.empty()) {
      for (scheduler::RankFacts& rank : facts.attempt->ranks) {
        rank.end = {FailureCause::kCoordinator, "traind was stopped before it had started the workers"};
      }
    }
  }
  return RemoveStrayFolders(options_.state_folder, known);
}

absl::Status ReconcilingSupervisor::Start() {
  RETURN_IF_ERROR(Adopt());
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

void ReconcilingSupervisor::Shutdown() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void ReconcilingSupervisor::Run() {
  for (;;) {
    RunOnce();
    MutexLock lock(mutex_);
    due_ = clock_.Steady() + options_.tick;
    wake_.AwaitFor(mutex_, options_.tick, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return awake_ || stopping_; });
    // Woken early, the round is not due yet; it is not late either.
    due_ = std::min(due_, clock_.Steady());
    awake_ = false;
    if (stopping_) return;
  }
}

void ReconcilingSupervisor::Wake() {
  MutexLock lock(mutex_);
  awake_ = true;
  wake_.NotifyAll();
}

void ReconcilingSupervisor::OnChange(const store::StoreChange& change) {
  MutexLock lock(mutex_);
  if (change.deleted && change.job != nullptr) deleted_.push_back(change.job->id);
  awake_ = true;
  wake_.NotifyAll();
}

void ReconcilingSupervisor::RemoveDeletedFolders() {
  std::vector<JobId> deleted;
  {
    MutexLock lock(mutex_);
    deleted.swap(deleted_);
    for (const JobId& job : deleted) {
      facts_.erase(job);
      ended_.erase(job);
      uncommitted_.erase(job);
    }
  }
  for (const JobId& job : deleted) {
    const absl::Status removed = os::RemoveTree(JobFolder(options_.state_folder, job));
    // The next start finds it as a folder without a row.
    if (!removed.ok())
      log_.Warning("the folder of a deleted job stays", {{"job_id", job.value()}, {"why", std::string(removed.message())}});
  }
}

void ReconcilingSupervisor::RunOnce() {
  RemoveDeletedFolders();
  checks_.Poll();
  PollProcesses();
  const absl::Duration now = clock_.Steady();
  const scheduler::Plan plan = scheduler::Reconcile(TakeSnapshot(now), options_.scheduling, now);
  {
    MutexLock lock(mutex_);
    queue_ = plan.queue;
  }
  for (const scheduler::Action& action : plan.actions) Apply(action, now);
}

void ReconcilingSupervisor::PollProcesses() {
  std::map<JobId, LiveAttempt> attempts;
  {
    MutexLock lock(mutex_);
    attempts = attempts_;
  }
  for (const auto& [job, attempt] : attempts) {
    for (int rank = 0; rank < static_cast<int>(attempt.shims.size()); ++rank) {
      std::optional<scheduler::RankEnd> end = EndOf(job, attempt, rank);
      if (!end.has_value()) continue;
      MutexLock lock(mutex_);
      const auto facts = facts_.find(job);
      const auto live = attempts_.find(job);
      if (facts == facts_.end() || !facts->second.attempt || live == attempts_.end()) continue;
      // The worker's own word, which may have come since, says more than its exit code.
      const RankSession& session = live->second.ranks[static_cast<size_t>(rank)];
      facts->second.attempt->ranks[static_cast<size_t>(rank)].end = session.reported.has_value() ? session.reported : end;
    }
  }
}

std::optional<scheduler::RankEnd> ReconcilingSupervisor::EndOf(const JobId& job, const LiveAttempt& attempt, int rank) const {
  if (launcher_.IsAlive(attempt.shims[static_cast<size_t>(rank)])) return std::nullopt;
  const auto record = launcher_.ReadExit(JobFolder(options_.state_folder, job), attempt.number, rank);
  if (!record.ok() || !record->has_value()) {
    return scheduler::RankEnd{FailureCause::kCrashed, absl::StrCat("rank ", rank, " is gone and left no record of how it ended")};
  }
  const launcher::ExitRecord& exit = **record;
  const FailureCause cause = exit.out_of_memory ? FailureCause::kOomHost : CauseOfExit(exit.exit_code, exit.signal);
  return scheduler::RankEnd{cause, "", exit.exit_code, exit.signal};
}

scheduler::Snapshot ReconcilingSupervisor::TakeSnapshot(absl::Duration now) {
  scheduler::Snapshot snapshot;
  std::map<std::string, std::string> holders;
  const std::vector<store::JobPtr> jobs = store_.List();
  MutexLock lock(mutex_);
  for (const store::JobPtr& job : jobs) {
    if (domain::IsTerminal(job->state)) {
      const auto [ended, added] = ended_.emplace(job->id, absl::ZeroDuration());
      if (added) ended->second = scheduler::AnchorSince(job->end_time, clock_.Now(), now);
      snapshot.finished.push_back({job->id, ended->second});
      continue;
    }
    if (job->state == domain::JobState::kPending && !facts_.contains(job->id)) {
      facts_[job->id].since = scheduler::AnchorSince(QueuedSince(*job), clock_.Now(), now);
    }
    if (domain::IsActive(job->state) && job->current_attempt() != nullptr) {
      for (const std::string& slot : job->current_attempt()->slots) holders[slot] = absl::StrCat("jobs/", job->id.value());
    }
    snapshot.jobs.push_back(job);
  }
  snapshot.facts = facts_;
  for (const MachineSlot& slot : options_.slots) snapshot.slots.push_back({slot.name, slot.type, holders[slot.name]});
  snapshot.cordoned = !placing_;
  snapshot.due = due_;
  snapshot.jitter_seed = jitter_seed_;
  return snapshot;
}

std::optional<Progress> ReconcilingSupervisor::ProgressOf(const JobId& job) const {
  MutexLock lock(mutex_);
  const auto found = attempts_.find(job);
  return found == attempts_.end() ? std::nullopt : found->second.progress;
}

std::vector<SlotView> ReconcilingSupervisor::Slots() const {
  std::map<std::string, std::string> holders;
  for (const store::JobPtr& job : store_.List()) {
    if (!domain::IsActive(job->state) || job->current_attempt() == nullptr) continue;
    for (const std::string& slot : job->current_attempt()->slots) holders[slot] = absl::StrCat("jobs/", job->id.value());
  }
  std::vector<SlotView> views;
  for (const MachineSlot& slot : options_.slots) views.push_back({slot.name, slot.type, holders[slot.name]});
  return views;
}

std::vector<QueueView> ReconcilingSupervisor::Queue() const {
  MutexLock lock(mutex_);
  std::vector<QueueView> views;
  for (const scheduler::QueueEntry& entry : queue_) views.push_back({entry.job, entry.position, entry.reason, entry.message});
  return views;
}

std::vector<ScrapeTarget> ReconcilingSupervisor::ScrapeTargets() const {
  MutexLock lock(mutex_);
  std::vector<ScrapeTarget> targets;
  for (const auto& [job, attempt] : attempts_) {
    for (size_t rank = 0; rank < attempt.ranks.size(); ++rank) {
      const std::string& address = attempt.ranks[rank].metrics_address;
      if (!address.empty()) targets.push_back({address, job, static_cast<int>(rank), attempt.slots[rank]});
    }
  }
  return targets;
}

absl::Status ReconcilingSupervisor::CheckFeasible(int slots, const std::string& device) const {
  std::vector<scheduler::Slot> machine;
  for (const MachineSlot& slot : options_.slots) machine.push_back({slot.name, slot.type, ""});
  return scheduler::CheckFeasible(slots, device, machine);
}

void ReconcilingSupervisor::ValidateData(std::string spec_bytes, std::string spec_sha256, std::vector<std::string> user_set_paths,
                                         ValidateDone done) {
  checks_.Begin(std::move(spec_bytes), std::move(spec_sha256), std::move(user_set_paths), std::move(done));
}

void ReconcilingSupervisor::StopPlacing() {
  MutexLock lock(mutex_);
  placing_ = false;
}

}  // namespace traind::server::supervisor
