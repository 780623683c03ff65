// The job store in memory, with the contract of server/store/job_store.h and nothing of its durability.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/mutex.h"
#include "common/base/status.h"
#include "server/store/job_store.h"

namespace traind::server::fakes {

class FakeStore final : public store::JobStore {
 public:
  absl::StatusOr<Created> Create(domain::Job job) override {
    store::StoreChange change;
    {
      MutexLock lock(mutex_);
      for (const auto& [id, other] : jobs_) {
        if (other->request_id != job.request_id) continue;
        if (other->spec_sha256 == job.spec_sha256) return Created{other, true};
        return WithReason(absl::AlreadyExistsError("the request id has made another job"), "REQUEST_ID_REUSED");
      }
      job.revision = 1;
      domain::Event event;
      event.actor = job.owner;
      event.action = "CREATED";
      change = CommitLocked(std::move(job), std::move(event));
    }
    Tell(change);
    return Created{change.job, false};
  }

  absl::StatusOr<store::JobPtr> Mutate(const JobId& id, Mutation mutation, domain::Event event) override {
    store::StoreChange change;
    {
      MutexLock lock(mutex_);
      const auto found = jobs_.find(id);
      if (found == jobs_.end()) return NoSuchJob(id);
      domain::Job job = *found->second;
      RETURN_IF_ERROR(mutation(job));
      if (job.state != found->second->state) RETURN_IF_ERROR(domain::CheckTransition(found->second->state, job.state));
      ++job.revision;
      change = CommitLocked(std::move(job), std::move(event));
    }
    Tell(change);
    return change.job;
  }

  absl::Status Delete(const JobId& id, domain::Event event) override {
    store::StoreChange change;
    {
      MutexLock lock(mutex_);
      const auto found = jobs_.find(id);
      if (found == jobs_.end()) return NoSuchJob(id);
      if (!domain::IsTerminal(found->second->state)) {
        return WithReason(absl::FailedPreconditionError("the job has not ended"), "JOB_NOT_ENDED");
      }
      change = CommitLocked(*found->second, std::move(event));
      change.deleted = true;
      jobs_.erase(id);
      checkpoints_.erase(id);
    }
    Tell(change);
    return absl::OkStatus();
  }

  absl::Status CommitCheckpoint(const domain::Checkpoint& checkpoint, Incarnation) override {
    MutexLock lock(mutex_);
    checkpoints_[checkpoint.job].push_back(checkpoint);
    return absl::OkStatus();
  }
  absl::Status ForgetCheckpoints(const JobId&, const std::vector<int64_t>&) override { return absl::OkStatus(); }

  absl::StatusOr<store::JobPtr> Get(const JobId& id) const override {
    MutexLock lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return NoSuchJob(id);
    return found->second;
  }
  std::vector<store::JobPtr> List() const override {
    MutexLock lock(mutex_);
    std::vector<store::JobPtr> jobs;
    for (const auto& [id, job] : jobs_) jobs.push_back(job);
    std::sort(jobs.begin(), jobs.end(),
              [](const auto& a, const auto& b) { return std::pair(a->create_time, a->id) < std::pair(b->create_time, b->id); });
    return jobs;
  }
  std::vector<domain::Checkpoint> Checkpoints(const JobId& id) const override {
    MutexLock lock(mutex_);
    const auto found = checkpoints_.find(id);
    return found == checkpoints_.end() ? std::vector<domain::Checkpoint>() : found->second;
  }
  absl::StatusOr<std::vector<domain::Event>> Events(const std::string& target, int64_t after, int limit) const override {
    MutexLock lock(mutex_);
    if (after > 0 && after < forgotten_) return absl::OutOfRangeError("those events are no longer kept");
    std::vector<domain::Event> events;
    for (const domain::Event& event : events_) {
      if (event.sequence <= std::max(after, forgotten_) || (!target.empty() && event.target != target)) continue;
      if (static_cast<int>(events.size()) < limit) events.push_back(event);
    }
    return events;
  }
  int64_t sequence() const override {
    MutexLock lock(mutex_);
    return sequence_;
  }

  int64_t AddListener(Listener listener) override {
    MutexLock lock(mutex_);
    listeners_[++last_listener_] = std::move(listener);
    return last_listener_;
  }
  void RemoveListener(int64_t id) override {
    MutexLock lock(mutex_);
    listeners_.erase(id);
  }

  // Events up to `sequence` are gone, as after many others.
  void ForgetEventsUpTo(int64_t sequence) {
    MutexLock lock(mutex_);
    forgotten_ = sequence;
  }
  // Sets a job's state by way of Mutate.
  void Set(const JobId& id, domain::JobState state) {
    domain::Event event;
    event.action = "STATE_CHANGED";
    const auto result = Mutate(
        id,
        [state](domain::Job& job) {
          job.state = state;
          return absl::OkStatus();
        },
        std::move(event));
    if (!result.ok()) std::abort();
  }

 private:
  static absl::Status NoSuchJob(const JobId& id) { return absl::NotFoundError(absl::StrCat("there is no job jobs/", id.value())); }

  store::StoreChange CommitLocked(domain::Job job, domain::Event event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    event.sequence = ++sequence_;
    event.target = absl::StrCat("jobs/", job.id.value());
    events_.push_back(std::move(event));
    const auto shared = std::make_shared<const domain::Job>(std::move(job));
    jobs_[shared->id] = shared;
    return {sequence_, shared, false};
  }
  void Tell(const store::StoreChange& change) {
    std::map<int64_t, Listener> listeners;
    {
      MutexLock lock(mutex_);
      listeners = listeners_;
    }
    for (const auto& [id, listener] : listeners) listener(change);
  }

  mutable Mutex mutex_;
  std::map<JobId, store::JobPtr> jobs_ ABSL_GUARDED_BY(mutex_);
  std::map<JobId, std::vector<domain::Checkpoint>> checkpoints_ ABSL_GUARDED_BY(mutex_);
  std::vector<domain::Event> events_ ABSL_GUARDED_BY(mutex_);
  std::map<int64_t, Listener> listeners_ ABSL_GUARDED_BY(mutex_);
  int64_t sequence_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t forgotten_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t last_listener_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace traind::server::fakes
