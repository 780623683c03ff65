// Why an answer of OK survives any crash:
//   1. a request is planned on the committed state           crash: nothing has happened
//   2. all rows of the batch are written in one transaction   crash: SQLite undoes it, nobody was told anything
//   3. COMMIT returns (WAL, synchronous = FULL: the log is     crash before: as 2; after: the change is there at the next start, and a
//      on disk)                                                client that heard nothing repeats its request id and gets the same answer
//   4. the book in memory takes the change                    only now can a reader see it: nobody reads what a crash could undo
//   5. listeners hear of it, the caller gets its answer
// Request id and job are rows of one transaction, so that there is never one without the other. After an error that is not a full disk
// nothing is known of the file, so that the store never writes again; the next start reads what was committed.
#include "server/store/sqlite_job_store.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "server/store/schema.h"

namespace traind::server::store {
namespace {

constexpr size_t kMaxBatch = 64;
// How long the request id of a deleted job is remembered.
constexpr absl::Duration kRequestMemory = absl::Hours(24 * 30);

absl::Status NoRoom(const absl::Status& status) {
  return WithReason(absl::ResourceExhaustedError(absl::StrCat("the job store has no room (", std::string(status.message()),
                                                              "); nothing was changed, free some space in the state folder")),
                    "DISK_FULL");
}

}  // namespace

absl::StatusOr<std::unique_ptr<SqliteJobStore>> SqliteJobStore::Open(const std::string& folder, SqliteJobStoreOptions options,
                                                                     const Clock& clock) {
  ASSIGN_OR_RETURN(Database database, OpenStoreFile(folder, options.max_pages));
  ASSIGN_OR_RETURN(ChangeWriter writer, ChangeWriter::Create(std::move(database)));
  std::unique_ptr<SqliteJobStore> store(new SqliteJobStore(std::move(options), clock, std::move(writer)));
  RETURN_IF_ERROR(store->writer_.ForgetRequests(clock.Now() - kRequestMemory));
  RETURN_IF_ERROR(store->writer_.LoadInto(store->book_));
  store->thread_ = std::thread([raw = store.get()] { raw->Run(); });
  return store;
}

SqliteJobStore::SqliteJobStore(SqliteJobStoreOptions options, const Clock& clock, ChangeWriter writer)
    : options_(std::move(options)), clock_(clock), writer_(std::move(writer)), book_(options_.max_events) {}

SqliteJobStore::~SqliteJobStore() {
  {
    MutexLock lock(queue_mutex_);
    stopping_ = true;
    queued_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

absl::StatusOr<Change> SqliteJobStore::Submit(std::string key, std::function<absl::StatusOr<Change>()> plan) {
  auto request = std::make_unique<Request>();
  request->key = std::move(key);
  request->plan = std::move(plan);
  std::future<absl::StatusOr<Change>> result = request->result.get_future();
  {
    MutexLock lock(queue_mutex_);
    if (!fatal_.ok()) return fatal_;
    if (stopping_) return absl::UnavailableError("the job store is closing");
    queue_.push_back(std::move(request));
    queued_.NotifyAll();
  }
  return result.get();
}

absl::StatusOr<JobStore::Created> SqliteJobStore::Create(domain::Job job) {
  const std::string key = absl::StrCat("request ", job.request_id);
  ASSIGN_OR_RETURN(const Change change,
                   Submit(key, [this, job = std::move(job)]() mutable { return book_.PlanCreate(std::move(job), clock_.Now()); }));
  return Created{change.job, !change.created};
}

absl::StatusOr<JobPtr> SqliteJobStore::Mutate(const JobId& id, Mutation mutation, domain::Event event) {
  ASSIGN_OR_RETURN(const Change change, Submit(id.value(), [&] { return book_.PlanMutate(id, mutation, event, clock_.Now()); }));
  return change.job;
}

absl::Status SqliteJobStore::Delete(const JobId& id, domain::Event event) {
  return Submit(id.value(), [&] { return book_.PlanDelete(id, event, clock_.Now()); }).status();
}

absl::Status SqliteJobStore::CommitCheckpoint(const domain::Checkpoint& checkpoint, Incarnation incarnation) {
  return Submit(checkpoint.job.value(), [&] { return book_.PlanCheckpoint(checkpoint, incarnation, clock_.Now()); }).status();
}

absl::Status SqliteJobStore::ForgetCheckpoints(const JobId& id, const std::vector<int64_t>& steps) {
  return Submit(id.value(), [&] { return book_.PlanForget(id, steps); }).status();
}

absl::StatusOr<JobPtr> SqliteJobStore::Get(const JobId& id) const {
  MutexLock lock(book_mutex_);
  return book_.Get(id);
}

std::vector<JobPtr> SqliteJobStore::List() const {
  MutexLock lock(book_mutex_);
  return book_.List();
}

std::vector<domain::Checkpoint> SqliteJobStore::Checkpoints(const JobId& id) const {
  MutexLock lock(book_mutex_);
  return book_.Checkpoints(id);
}

absl::StatusOr<std::vector<domain::Event>> SqliteJobStore::Events(const std::string& target, int64_t after, int limit) const {
  MutexLock lock(book_mutex_);
  return book_.Events(target, after, limit);
}

int64_t SqliteJobStore::sequence() const {
  MutexLock lock(book_mutex_);
  return book_.sequence();
}

std::vector<std::unique_ptr<SqliteJobStore::Request>> SqliteJobStore::TakeBatchLocked() {
  std::vector<std::unique_ptr<Request>> batch;
  std::set<std::string> keys;
  while (!queue_.empty() && batch.size() < kMaxBatch && keys.insert(queue_.front()->key).second) {
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return batch;
}

void SqliteJobStore::Run() {
  for (;;) {
    std::vector<std::unique_ptr<Request>> batch;
    absl::Status fatal;
    {
      MutexLock lock(queue_mutex_);
      queued_.Await(queue_mutex_, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      batch = TakeBatchLocked();
      fatal = fatal_;
    }
    if (fatal.ok()) {
      Commit(std::move(batch));
    } else {
      for (const std::unique_ptr<Request>& request : batch) request->result.set_value(fatal);
    }
  }
}

void SqliteJobStore::Commit(std::vector<std::unique_ptr<Request>> batch) {
  std::vector<Change> changes;
  std::vector<Request*> changing;
  for (const std::unique_ptr<Request>& request : batch) {
    absl::StatusOr<Change> change = request->plan();
    if (!change.ok() || change->nothing()) {
      request->result.set_value(std::move(change));
      continue;
    }
    changes.push_back(*std::move(change));
    changing.push_back(request.get());
  }
  if (changes.empty()) return;
  book_.Arrange(changes);
  const absl::Duration start = clock_.Steady();
  absl::Status status = writer_.Write(changes, book_.first_sequence());
  if (options_.on_commit) options_.on_commit(absl::ToDoubleSeconds(clock_.Steady() - start));
  if (absl::IsResourceExhausted(status)) {
    status = NoRoom(status);
  } else if (!status.ok()) {
    Fail(status);
    status = absl::UnavailableError(absl::StrCat("the job store has failed: ", std::string(status.message())));
  }
  if (status.ok()) {
    MutexLock lock(book_mutex_);
    for (const Change& change : changes) book_.Apply(change);
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    if (status.ok()) listeners_.Notify(ToStoreChange(changes[i]));
    changing[i]->result.set_value(status.ok() ? absl::StatusOr<Change>(changes[i]) : absl::StatusOr<Change>(status));
  }
}

void SqliteJobStore::Fail(const absl::Status& status) {
  {
    MutexLock lock(queue_mutex_);
    fatal_ = absl::UnavailableError(absl::StrCat("the job store has failed: ", std::string(status.message())));
  }
  if (options_.on_fatal) options_.on_fatal(status);
}

}  // namespace traind::server::store
