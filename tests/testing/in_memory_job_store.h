// The job store's rules without a disk: JobBook behind a mutex, listeners called before the call returns. Passes the contract tests of the
// real one (tests/unit/server/store). Thread-safe.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/base/status.h"
#include "server/store/job_book.h"
#include "server/store/listeners.h"

namespace traind::testing {

class InMemoryJobStore final : public server::store::JobStore {
 public:
  explicit InMemoryJobStore(const Clock& clock, int64_t max_events = 1000) : clock_(clock), book_(max_events) {}

  // Every changing call fails with this from now on; OK ends it.
  void FailWith(absl::Status status) {
    MutexLock lock(mutex_);
    failure_ = std::move(status);
  }

  // Sets a job's state by way of Mutate; aborts the test if that is no legal change.
  void Set(const JobId& id, server::domain::JobState state) {
    server::domain::Event event;
    event.action = "STATE_CHANGED";
    const auto result = Mutate(
        id,
        [state](server::domain::Job& job) {
          job.state = state;
          return absl::OkStatus();
        },
        std::move(event));
    if (!result.ok()) std::abort();
  }

  absl::StatusOr<Created> Create(server::domain::Job job) override {
    ASSIGN_OR_RETURN(const auto change, Do([&] { return book_.PlanCreate(std::move(job), clock_.Now()); }));
    return Created{change.job, !change.created};
  }
  absl::StatusOr<server::store::JobPtr> Mutate(const JobId& id, Mutation mutation, server::domain::Event event) override {
    ASSIGN_OR_RETURN(const auto change, Do([&] { return book_.PlanMutate(id, mutation, event, clock_.Now()); }));
    return change.job;
  }
  absl::Status Delete(const JobId& id, server::domain::Event event) override {
    return Do([&] { return book_.PlanDelete(id, event, clock_.Now()); }).status();
  }
  absl::Status CommitCheckpoint(const server::domain::Checkpoint& checkpoint, Incarnation incarnation) override {
    return Do([&] { return book_.PlanCheckpoint(checkpoint, incarnation, clock_.Now()); }).status();
  }
  absl::Status ForgetCheckpoints(const JobId& id, const std::vector<int64_t>& steps) override {
    return Do([&] { return book_.PlanForget(id, steps); }).status();
  }
  absl::StatusOr<server::store::JobPtr> Get(const JobId& id) const override {
    MutexLock lock(mutex_);
    return book_.Get(id);
  }
  std::vector<server::store::JobPtr> List() const override {
    MutexLock lock(mutex_);
    return book_.List();
  }
  std::vector<server::domain::Checkpoint> Checkpoints(const JobId& id) const override {
    MutexLock lock(mutex_);
    return book_.Checkpoints(id);
  }
  absl::StatusOr<std::vector<server::domain::Event>> Events(const std::string& target, int64_t after, int limit) const override {
    MutexLock lock(mutex_);
    return book_.Events(target, after, limit);
  }
  int64_t sequence() const override {
    MutexLock lock(mutex_);
    return book_.sequence();
  }
  int64_t AddListener(Listener listener) override { return listeners_.Add(std::move(listener)); }
  void RemoveListener(int64_t id) override { listeners_.Remove(id); }

 private:
  template <typename Plan>
  absl::StatusOr<server::store::Change> Do(Plan plan) {
    std::vector<server::store::Change> changes;
    {
      MutexLock lock(mutex_);
      if (!failure_.ok()) return failure_;
      ASSIGN_OR_RETURN(server::store::Change change, plan());
      if (change.nothing()) return change;
      changes.push_back(std::move(change));
      book_.Arrange(changes);
      book_.Apply(changes[0]);
    }
    // One at a time, as the real store's writer thread does.
    MutexLock lock(notify_mutex_);
    listeners_.Notify(server::store::ToStoreChange(changes[0]));
    return changes[0];
  }

  const Clock& clock_;
  mutable Mutex mutex_;
  server::store::JobBook book_;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  Mutex notify_mutex_;
  server::store::Listeners listeners_;
};

}  // namespace traind::testing
