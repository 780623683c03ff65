// The job store on disk.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "server/store/change_writer.h"
#include "server/store/job_book.h"
#include "server/store/job_store.h"
#include "server/store/listeners.h"

namespace traind::server::store {

struct SqliteJobStoreOptions {
  int64_t max_events = 100'000;
  int64_t max_pages = 0;  // of 4 KiB; 0: no bound
  // Called once when disk or file have failed: nothing can be committed any more, and the process should end.
  std::function<void(const absl::Status&)> on_fatal;
  // Time that each COMMIT took, in seconds.
  std::function<void(double)> on_commit;
};

// Thread-safe. Owns the writer thread, on which all durable calls are made.
class SqliteJobStore final : public JobStore {
 public:
  // Opens <folder>/traind.db and reads it back. Errors as OpenStoreFile. `clock` outlives the store.
  static absl::StatusOr<std::unique_ptr<SqliteJobStore>> Open(const std::string& folder, SqliteJobStoreOptions options, const Clock& clock);
  // Commits what is queued, then ends.
  ~SqliteJobStore() override;

  absl::StatusOr<Created> Create(domain::Job job) override;
  absl::StatusOr<JobPtr> Mutate(const JobId& id, Mutation mutation, domain::Event event) override;
  absl::Status Delete(const JobId& id, domain::Event event) override;
  absl::Status CommitCheckpoint(const domain::Checkpoint& checkpoint, Incarnation incarnation) override;
  absl::Status ForgetCheckpoints(const JobId& id, const std::vector<int64_t>& steps) override;
  absl::StatusOr<JobPtr> Get(const JobId& id) const override;
  std::vector<JobPtr> List() const override;
  std::vector<domain::Checkpoint> Checkpoints(const JobId& id) const override;
  absl::StatusOr<std::vector<domain::Event>> Events(const std::string& target, int64_t after, int limit) const override;
  int64_t sequence() const override;
  int64_t AddListener(Listener listener) override { return listeners_.Add(std::move(listener)); }
  void RemoveListener(int64_t id) override { listeners_.Remove(id); }

 private:
  // A call that waits for its commit.
  struct Request {
    // What it touches: two requests of one key never share a transaction, since the second is planned on what the first left.
    std::string key;
    std::function<absl::StatusOr<Change>()> plan;
    std::promise<absl::StatusOr<Change>> result;
  };

  SqliteJobStore(SqliteJobStoreOptions options, const Clock& clock, ChangeWriter writer);
  absl::StatusOr<Change> Submit(std::string key, std::function<absl::StatusOr<Change>()> plan);
  void Run();
  std::vector<std::unique_ptr<Request>> TakeBatchLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue_mutex_);
  void Commit(std::vector<std::unique_ptr<Request>> batch);
  void Fail(const absl::Status& status);

  const SqliteJobStoreOptions options_;
  const Clock& clock_;
  ChangeWriter writer_;  // writer thread only
  Listeners listeners_;

  // The book is changed by the writer thread with the lock held, and read by it without.
  mutable Mutex book_mutex_;
  JobBook book_;

  Mutex queue_mutex_;
  CondVar queued_;
  std::deque<std::unique_ptr<Request>> queue_ ABSL_GUARDED_BY(queue_mutex_);
  bool stopping_ ABSL_GUARDED_BY(queue_mutex_) = false;
  absl::Status fatal_ ABSL_GUARDED_BY(queue_mutex_);
  std::thread thread_;
};

}  // namespace traind::server::store
