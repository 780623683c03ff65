// The supervisor. Each round it gathers a snapshot, asks the pure reconciler what to do, and does it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/obs/logger.h"
#include "server/launcher/launcher.h"
#include "server/scheduler/reconciler.h"
#include "server/store/job_store.h"
#include "server/supervisor/attempt_table.h"
#include "server/supervisor/data_checks.h"
#include "server/supervisor/supervisor.h"

namespace traind::server::supervisor {

struct MachineSlot {
  std::string name;         // "cpu0", "gpu1"
  std::string type;         // "cpu", "gpu"
  std::string visible_gpu;  // index or UUID, of a GPU slot
};

struct SupervisorOptions {
  std::vector<MachineSlot> slots;
  scheduler::Options scheduling;
  absl::Duration tick = absl::Milliseconds(250);
  std::string state_folder;
  std::map<std::string, std::string> data_roots;
  // The specification's bytes as text for people: spec.yaml. The supervisor itself never looks into them.
  std::function<std::string(const std::string& spec_bytes)> render_spec;
  // Draws incarnations and the jitter's seed.
  std::function<uint64_t()> random;
};

// Thread-safe. Owns one thread between Start and Shutdown. Never calls store, launcher or links with its mutex held.
class ReconcilingSupervisor final : public Supervisor {
 public:
  // All are borrowed and outlive it.
  ReconcilingSupervisor(SupervisorOptions options, store::JobStore& store, launcher::Launcher& launcher, const Clock& clock,
                        obs::Logger& log);
  ~ReconcilingSupervisor() override;

  // Takes over what an earlier life of the daemon left: attempts of the store that have not ended.
  absl::Status Adopt();
  // Adopt, then the thread.
  absl::Status Start();
  // Ends the thread; workers run on. Idempotent.
  void Shutdown();
  // One round. For the thread, and for tests, which have none.
  void RunOnce();

  absl::StatusOr<WorkerAssignment> Register(const WorkerKey& key, const WorkerHello& hello, std::shared_ptr<WorkerLink> link) override;
  absl::Status Heartbeat(const WorkerKey& key) override;
  absl::Status ReportProgress(const WorkerKey& key, const Progress& progress) override;
  absl::Status CheckpointPrepared(const WorkerKey& key, const domain::Checkpoint& checkpoint) override;
  absl::Status Terminal(const WorkerKey& key, FailureCause cause, const std::string& error,
                        const std::map<std::string, std::string>& result) override;
  absl::Status DataReport(const WorkerKey& key, const std::string& report_json) override;
  void Disconnected(const WorkerKey& key, const std::shared_ptr<WorkerLink>& link) override;

  std::optional<Progress> ProgressOf(const JobId& job) const override;
  std::vector<SlotView> Slots() const override;
  std::vector<QueueView> Queue() const override;
  std::vector<ScrapeTarget> ScrapeTargets() const override;
  absl::Status CheckFeasible(int slots, const std::string& device) const override;
  void ValidateData(std::string spec_bytes, std::string spec_sha256, std::vector<std::string> user_set_paths, ValidateDone done) override;
  void StopPlacing() override;

 private:
  void Run();
  void Wake();
  void OnChange(const store::StoreChange& change);
  void RemoveDeletedFolders();

  // Looks which processes have ended.
  void PollProcesses();
  std::optional<scheduler::RankEnd> EndOf(const JobId& job, const LiveAttempt& attempt, int rank) const;
  scheduler::Snapshot TakeSnapshot(absl::Duration now);

  void Apply(const scheduler::Action& action, absl::Duration now);
  void Do(const scheduler::ExtendLeases& action, absl::Duration now);
  void Do(const scheduler::StartAttempt& action, absl::Duration now);
  void Do(const scheduler::ReportRunning& action, absl::Duration now);
  void Do(const scheduler::RequestStop& action, absl::Duration now);
  void Do(const scheduler::Terminate& action, absl::Duration now);
  void Do(const scheduler::Kill& action, absl::Duration now);
  void Do(const scheduler::FinishAttempt& action, absl::Duration now);
  void Do(const scheduler::FailWaiting& action, absl::Duration now);
  void Do(const scheduler::DeleteFinished& action, absl::Duration now);

  std::vector<launcher::RankLaunch> GangOf(const JobId& job, const LiveAttempt& attempt) const;
  absl::Status LaunchGang(const domain::Job& job, const LiveAttempt& attempt);
  void SignalRanks(const JobId& job, int signal, const std::optional<scheduler::Verdict>& verdict, bool killed, absl::Duration now);
  // A change by the daemon itself; a failure is logged, at most every half minute for the same job, and left to the next round.
  bool Commit(const JobId& job, const std::string& action, std::string message, store::JobStore::Mutation mutation);
  // Whether this outcome of a change is to be logged.
  bool IsNewlyUncommitted(const JobId& job, bool committed);

  const SupervisorOptions options_;
  store::JobStore& store_;
  launcher::Launcher& launcher_;
  const Clock& clock_;
  obs::Logger& log_;
  const uint64_t jitter_seed_;
  DataChecks checks_;
  int64_t listener_ = 0;

  mutable Mutex mutex_;
  std::map<JobId, absl::Duration> uncommitted_ ABSL_GUARDED_BY(mutex_);  // when the failure was last logged
  CondVar wake_;
  bool awake_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool placing_ ABSL_GUARDED_BY(mutex_) = true;
  absl::Duration due_ ABSL_GUARDED_BY(mutex_);
  std::map<JobId, scheduler::JobFacts> facts_ ABSL_GUARDED_BY(mutex_);
  std::map<JobId, LiveAttempt> attempts_ ABSL_GUARDED_BY(mutex_);
  std::map<JobId, absl::Duration> ended_ ABSL_GUARDED_BY(mutex_);
  std::vector<scheduler::QueueEntry> queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<JobId> deleted_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace traind::server::supervisor
