// The committed state in memory, and the rules of every change. A change is planned against the committed state, made durable by
// whoever owns the book, and only then applied: between the two nothing has happened.
//
// Thread-compatible. Planning and reading do not change the book, so that many may do it while nobody applies.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/domain/trial.h"
#include "server/store/job_store.h"

namespace traind::server::store {

// What a request id stands for. It outlives its job, so that a late repeat of a request makes no second one.
struct RequestRow {
  JobId job;
  std::string spec_sha256;
  absl::Time deleted = absl::InfinitePast();  // of the job; past: it is there
};

// Everything that one call changes, as it is to be written down.
struct Change {
  JobPtr job;  // as it is afterwards; of a deletion, as it was
  bool created = false;
  bool updated = false;
  bool deleted = false;
  std::optional<domain::Checkpoint> checkpoint;  // new or replaced
  std::vector<int64_t> forgotten;                // steps whose rows go
  std::optional<domain::Trial> trial;            // of a run that has just succeeded
  std::optional<domain::Event> event;            // its sequence is set by Arrange
  bool nothing() const { return !created && !updated && !deleted && !checkpoint && forgotten.empty(); }
};

class JobBook {
 public:
  // `max_events`: the oldest events beyond are forgotten.
  explicit JobBook(int64_t max_events) : max_events_(max_events) {}

  // For reading the book back at start; events in order.
  void Load(domain::Job job);
  void Load(domain::Checkpoint checkpoint);
  void Load(domain::Event event);
  void Load(const domain::Trial& trial) { trials_[trial.data_fingerprint][trial.spec_sha256] = trial.sharpe; }
  void Load(std::string request_id, RequestRow row);

  // Plans; the errors are those of JobStore. A change with nothing() needs no writing: what was asked for is already so.
  absl::StatusOr<Change> PlanCreate(domain::Job job, absl::Time now) const;
  absl::StatusOr<Change> PlanMutate(const JobId& id, const JobStore::Mutation& mutation, domain::Event event, absl::Time now) const;
  absl::StatusOr<Change> PlanDelete(const JobId& id, domain::Event event, absl::Time now) const;
  absl::StatusOr<Change> PlanCheckpoint(const domain::Checkpoint& checkpoint, Incarnation incarnation, absl::Time now) const;
  absl::StatusOr<Change> PlanForget(const JobId& id, const std::vector<int64_t>& steps) const;

  // Fills in what depends on the changes before it, of changes that are planned together and applied in this order: the numbers of their
  // events, and the results that count trials.
  void Arrange(std::vector<Change>& changes) const;
  void Apply(const Change& change);
  // Sequence of the oldest event that is kept.
  int64_t first_sequence() const { return events_.empty() ? sequence_ + 1 : events_.front().sequence; }

  absl::StatusOr<JobPtr> Get(const JobId& id) const;
  std::vector<JobPtr> List() const;
  std::vector<domain::Checkpoint> Checkpoints(const JobId& id) const;
  absl::StatusOr<std::vector<domain::Event>> Events(const std::string& target, int64_t after, int limit) const;
  int64_t sequence() const { return sequence_; }

 private:
  struct Entry {
    JobPtr job;
    std::map<int64_t, domain::Checkpoint> checkpoints;  // by step
  };
  using Sharpes = std::map<std::string, double>;  // by specification
  using Place = std::pair<absl::Time, JobId>;     // in the order of List
  static Place PlaceOf(const domain::Job& job) { return {job.create_time, job.id}; }
  absl::StatusOr<const Entry*> Find(const JobId& id) const;
  void CountTrials(std::vector<Change>& changes) const;

  const int64_t max_events_;
  absl::flat_hash_map<JobId, Entry> jobs_;
  std::map<Place, JobPtr> order_;
  absl::flat_hash_map<std::string, RequestRow> requests_;
  std::map<std::string, Sharpes> trials_;  // by data; they outlive their jobs
  std::deque<domain::Event> events_;
  int64_t sequence_ = 0;
};

// The store's listeners, free of when they are called. Thread-compatible.
StoreChange ToStoreChange(const Change& change);

}  // namespace traind::server::store
