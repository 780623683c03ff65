// The log of truth: jobs, events, checkpoints. A call that returns OK has been committed to disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/domain/job.h"

namespace traind::server::store {

using JobPtr = std::shared_ptr<const domain::Job>;  // shared by the store's snapshot and its readers; immutable

// What a committed change looks like to listeners.
struct StoreChange {
  int64_t sequence = 0;  // of the change's last event; strictly growing
  JobPtr job;            // as it is now; of a deletion, as it was
  bool deleted = false;
};

// Thread-safe. Readers never wait for the disk.
class JobStore {
 public:
  virtual ~JobStore() = default;

  struct Created {
    JobPtr job;
    bool existed = false;  // the request id had created it before
  };
  // Stores a new job with event CREATED, its request id in the same transaction. The same request id with the same spec_sha256 returns
  // the job it made (`existed`), also concurrently and after a restart; with another one ALREADY_EXISTS, reason REQUEST_ID_REUSED.
  // RESOURCE_EXHAUSTED when the disk is full, UNAVAILABLE once the store has shut down.
  virtual absl::StatusOr<Created> Create(domain::Job job) = 0;

  // Runs `mutation` on the newest version, on the writer thread, and commits what it leaves together with `event` (time, sequence and
  // target are filled in). The mutation must be quick and pure; an error from it is returned and nothing changes; a state it changes
  // must be a legal transition (checked: FAILED_PRECONDITION). A job that it lets succeed leaves its trial (server/domain/trial.h) in the
  // same transaction, and its results say how many there are by then; the trial outlives the job. NOT_FOUND, RESOURCE_EXHAUSTED,
  // UNAVAILABLE.
  using Mutation = std::function<absl::Status(domain::Job&)>;
  virtual absl::StatusOr<JobPtr> Mutate(const JobId& id, Mutation mutation, domain::Event event) = 0;

  // Removes an ended job and its checkpoints' rows; FAILED_PRECONDITION if it has not ended. A repeated call gets NOT_FOUND.
  virtual absl::Status Delete(const JobId& id, domain::Event event) = 0;

  // Writes the row that makes a checkpoint exist. ABORTED when `incarnation` is not the job's current one.
  virtual absl::Status CommitCheckpoint(const domain::Checkpoint& checkpoint, Incarnation incarnation) = 0;
  // Removes rows of checkpoints that retention has dropped.
  virtual absl::Status ForgetCheckpoints(const JobId& id, const std::vector<int64_t>& steps) = 0;

  virtual absl::StatusOr<JobPtr> Get(const JobId& id) const = 0;
  // All jobs, by create time then id.
  virtual std::vector<JobPtr> List() const = 0;
  virtual std::vector<domain::Checkpoint> Checkpoints(const JobId& id) const = 0;
  // Events with sequence > `after`, oldest first, at most `limit`; of one target, or of all when empty.
  virtual absl::StatusOr<std::vector<domain::Event>> Events(const std::string& target, int64_t after, int limit) const = 0;
  // Sequence of the newest committed change.
  virtual int64_t sequence() const = 0;

  // Called on the writer thread after each commit, in order; must return quickly and not call the store's writing methods.
  using Listener = std::function<void(const StoreChange&)>;
  virtual int64_t AddListener(Listener listener) = 0;
  // After it returns, the listener is not running and will not run again.
  virtual void RemoveListener(int64_t id) = 0;
};

}  // namespace traind::server::store
