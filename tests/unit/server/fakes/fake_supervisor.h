// A supervisor that answers what a test sets and remembers what it was told.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/mutex.h"
#include "common/base/status.h"
#include "server/supervisor/supervisor.h"

namespace traind::server::fakes {

class FakeSupervisor final : public supervisor::Supervisor {
 public:
  std::optional<supervisor::Progress> ProgressOf(const JobId& job) const override {
    MutexLock lock(mutex_);
    const auto found = progress_.find(job);
    return found == progress_.end() ? std::nullopt : std::optional<supervisor::Progress>(found->second);
  }
  std::vector<supervisor::SlotView> Slots() const override {
    MutexLock lock(mutex_);
    return slots_;
  }
  std::vector<supervisor::QueueView> Queue() const override {
    MutexLock lock(mutex_);
    return queue_;
  }
  std::vector<supervisor::ScrapeTarget> ScrapeTargets() const override { return {{"127.0.0.1:4711", JobId("dqn-a"), 0, "cpu0"}}; }
  absl::Status CheckFeasible(int slots, const std::string&) const override {
    if (slots <= 1) return absl::OkStatus();
    return WithReason(absl::FailedPreconditionError(absl::StrCat("needs ", slots, " slots, the machine has 1")), "INFEASIBLE");
  }
  void ValidateData(std::string, std::string, std::vector<std::string> user_set_paths, ValidateDone done) override {
    MutexLock lock(mutex_);
    validated_paths_ = std::move(user_set_paths);
    validating_.push_back(std::move(done));
    changed_.NotifyAll();
  }
  void StopPlacing() override {}

  absl::StatusOr<supervisor::WorkerAssignment> Register(const supervisor::WorkerKey& key, const supervisor::WorkerHello& hello,
                                                        std::shared_ptr<supervisor::WorkerLink> link) override {
    if (key.incarnation != Incarnation(7)) return WithReason(absl::AbortedError("this attempt is not current"), "FENCED");
    // As a supervisor would that was asked to cancel before the worker came.
    if (stop_at_register) link->Stop(supervisor::WorkerLink::StopKind::kCancel, "cancelled");
    RETURN_IF_ERROR(Note(absl::StrCat("register ", hello.process.pid)));
    MutexLock lock(mutex_);
    link_ = std::move(link);
    supervisor::WorkerAssignment assignment;
    assignment.spec_sha256 = "abc";
    assignment.world_size = 3;
    return assignment;
  }
  absl::Status Heartbeat(const supervisor::WorkerKey&) override { return Note("heartbeat"); }
  absl::Status ReportProgress(const supervisor::WorkerKey&, const supervisor::Progress& progress) override {
    return Note(absl::StrCat("progress ", progress.step));
  }
  absl::Status CheckpointPrepared(const supervisor::WorkerKey& key, const domain::Checkpoint& checkpoint) override {
    link()->CheckpointCommitted(checkpoint.step);
    return Note(absl::StrCat("checkpoint ", checkpoint.step, " of ", key.job.value()));
  }
  absl::Status Terminal(const supervisor::WorkerKey&, FailureCause cause, const std::string& error,
                        const std::map<std::string, std::string>&) override {
    link()->TerminalAck();
    return Note(absl::StrCat("terminal ", FailureCauseName(cause), " ", error));
  }
  absl::Status DataReport(const supervisor::WorkerKey&, const std::string& report_json) override { return Note("report " + report_json); }
  void Disconnected(const supervisor::WorkerKey&, const std::shared_ptr<supervisor::WorkerLink>&) override {
    Note("disconnected").IgnoreError();
  }

  void SetProgress(const JobId& job, int64_t step) {
    MutexLock lock(mutex_);
    progress_[job].step = step;
  }
  void SetProgress(const JobId& job, const supervisor::Progress& progress) {
    MutexLock lock(mutex_);
    progress_[job] = progress;
  }
  void SetSlots(std::vector<supervisor::SlotView> slots) {
    MutexLock lock(mutex_);
    slots_ = std::move(slots);
  }
  void SetQueue(std::vector<supervisor::QueueView> queue) {
    MutexLock lock(mutex_);
    queue_ = std::move(queue);
  }
  std::shared_ptr<supervisor::WorkerLink> link() const {
    MutexLock lock(mutex_);
    return link_;
  }
  // Waits for the next data check and takes its callback.
  ValidateDone TakeValidation() {
    MutexLock lock(mutex_);
    changed_.Await(mutex_, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return !validating_.empty(); });
    ValidateDone done = std::move(validating_.back());
    validating_.pop_back();
    return done;
  }
  std::vector<std::string> validated_paths() const {
    MutexLock lock(mutex_);
    return validated_paths_;
  }
  // Waits until `note` was the last thing told.
  void AwaitNote(const std::string& note) {
    MutexLock lock(mutex_);
    changed_.Await(mutex_, [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return !notes_.empty() && notes_.back() == note; });
  }
  std::vector<std::string> notes() const {
    MutexLock lock(mutex_);
    return notes_;
  }

  bool stop_at_register = false;

 private:
  absl::Status Note(std::string note) {
    MutexLock lock(mutex_);
    notes_.push_back(std::move(note));
    changed_.NotifyAll();
    return absl::OkStatus();
  }

  mutable Mutex mutex_;
  CondVar changed_;
  std::map<JobId, supervisor::Progress> progress_ ABSL_GUARDED_BY(mutex_);
  std::vector<supervisor::SlotView> slots_ ABSL_GUARDED_BY(mutex_) = {{"cpu0", "cpu", ""}};
  std::vector<supervisor::QueueView> queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<ValidateDone> validating_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> validated_paths_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> notes_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<supervisor::WorkerLink> link_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::server::fakes
