#include "server/store/change_writer.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "server/store/job_record.h"

namespace traind::server::store {
namespace {

enum StatementIndex {
  kPutJob,
  kDeleteJob,
  kPutRequest,
  kEndRequest,
  kPutCheckpoint,
  kDeleteCheckpoint,
  kPutTrial,
  kPutEvent,
  kTrimEvents,
  kStatements
};

constexpr const char* kSql[kStatements] = {
    "INSERT INTO jobs(id, state, revision, spec, record) VALUES(?, ?, ?, ?, ?) "
    "ON CONFLICT(id) DO UPDATE SET state = excluded.state, revision = excluded.revision, record = excluded.record",
    "DELETE FROM jobs WHERE id = ?",
    "INSERT INTO request_ids(request_id, job, spec_sha256, deleted_ns) VALUES(?, ?, ?, ?)",
    "UPDATE request_ids SET deleted_ns = ? WHERE request_id = ?",
    "INSERT OR REPLACE INTO checkpoints(job, step, record) VALUES(?, ?, ?)",
    "DELETE FROM checkpoints WHERE job = ? AND step = ?",
    "INSERT OR REPLACE INTO trials(data_fingerprint, spec_sha256, sharpe, bars) VALUES(?, ?, ?, ?)",
    "INSERT INTO events(sequence, time_ns, actor, action, target, message) VALUES(?, ?, ?, ?, ?, ?)",
    "DELETE FROM events WHERE sequence < ?",
};

}  // namespace

absl::StatusOr<ChangeWriter> ChangeWriter::Create(Database database) {
  ChangeWriter writer(std::move(database));
  for (const char* sql : kSql) {
    ASSIGN_OR_RETURN(Statement statement, writer.database_.Prepare(sql));
    writer.statements_.push_back(std::move(statement));
  }
  return writer;
}

absl::Status ChangeWriter::LoadInto(JobBook& book) {
  ASSIGN_OR_RETURN(Statement jobs, database_.Prepare("SELECT id, spec, record FROM jobs"));
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, jobs.Step());
    if (!row) break;
    absl::StatusOr<domain::Job> job = JobFromRecord(jobs.Text(2));
    if (!job.ok()) return Annotate(job.status(), absl::StrCat("reading the row of jobs/", jobs.Text(0)));
    job->spec_bytes = jobs.Text(1);
    book.Load(*std::move(job));
  }
  ASSIGN_OR_RETURN(Statement checkpoints, database_.Prepare("SELECT job, record FROM checkpoints"));
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, checkpoints.Step());
    if (!row) break;
    absl::StatusOr<domain::Checkpoint> checkpoint = CheckpointFromRecord(checkpoints.Text(1));
    if (!checkpoint.ok()) return Annotate(checkpoint.status(), absl::StrCat("reading a checkpoint of jobs/", checkpoints.Text(0)));
    book.Load(*std::move(checkpoint));
  }
  ASSIGN_OR_RETURN(Statement requests, database_.Prepare("SELECT request_id, job, spec_sha256, deleted_ns FROM request_ids"));
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, requests.Step());
    if (!row) break;
    book.Load(requests.Text(0), RequestRow{JobId(requests.Text(1)), requests.Text(2), FromNanos(requests.Int(3))});
  }
  ASSIGN_OR_RETURN(Statement trials, database_.Prepare("SELECT data_fingerprint, spec_sha256, sharpe, bars FROM trials"));
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, trials.Step());
    if (!row) break;
    book.Load(domain::Trial{trials.Text(0), trials.Text(1), trials.Real(2), trials.Int(3)});
  }
  ASSIGN_OR_RETURN(Statement events,
                   database_.Prepare("SELECT sequence, time_ns, actor, action, target, message FROM events ORDER BY sequence"));
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, events.Step());
    if (!row) break;
    book.Load(domain::Event{events.Int(0), FromNanos(events.Int(1)), events.Text(2), events.Text(3), events.Text(4), events.Text(5)});
  }
  return absl::OkStatus();
}

absl::Status ChangeWriter::WriteJob(const Change& change) {
  const domain::Job& job = *change.job;
  const std::string state(domain::JobStateName(job.state)), record = ToRecord(job);
  RETURN_IF_ERROR(
      statements_[kPutJob].Bind(0, job.id.value()).Bind(1, state).Bind(2, job.revision).BindBlob(3, job.spec_bytes).Bind(4, record).Run());
  if (!change.created || job.request_id.empty()) return absl::OkStatus();
  return statements_[kPutRequest]
      .Bind(0, job.request_id)
      .Bind(1, job.id.value())
      .Bind(2, job.spec_sha256)
      .Bind(3, ToNanos(absl::InfinitePast()))
      .Run();
}

absl::Status ChangeWriter::WriteOne(const Change& change) {
  const domain::Job& job = *change.job;
  if (change.created || change.updated) RETURN_IF_ERROR(WriteJob(change));
  if (change.checkpoint) {
    const std::string record = ToRecord(*change.checkpoint);
    RETURN_IF_ERROR(statements_[kPutCheckpoint].Bind(0, job.id.value()).Bind(1, change.checkpoint->step).Bind(2, record).Run());
  }
  for (const int64_t step : change.forgotten) RETURN_IF_ERROR(statements_[kDeleteCheckpoint].Bind(0, job.id.value()).Bind(1, step).Run());
  if (change.deleted) {
    RETURN_IF_ERROR(statements_[kDeleteJob].Bind(0, job.id.value()).Run());
    RETURN_IF_ERROR(statements_[kEndRequest].Bind(0, ToNanos(change.event->time)).Bind(1, job.request_id).Run());
  }
  if (change.trial) {
    const domain::Trial& trial = *change.trial;
    statements_[kPutTrial].Bind(0, trial.data_fingerprint).Bind(1, trial.spec_sha256).BindReal(2, trial.sharpe).Bind(3, trial.bars);
    RETURN_IF_ERROR(statements_[kPutTrial].Run());
  }
  if (!change.event) return absl::OkStatus();
  const domain::Event& event = *change.event;
  return statements_[kPutEvent]
      .Bind(0, event.sequence)
      .Bind(1, ToNanos(event.time))
      .Bind(2, event.actor)
      .Bind(3, event.action)
      .Bind(4, event.target)
      .Bind(5, event.message)
      .Run();
}

absl::Status ChangeWriter::Write(const std::vector<Change>& changes, int64_t first_kept_event) {
  // What is written to a file without a name is gone with the process.
  if (database_.HasMoved()) return absl::DataLossError("traind.db was removed or replaced while traind ran");
  absl::Status status = database_.Execute("BEGIN IMMEDIATE");
  for (const Change& change : changes) {
    if (status.ok()) status = WriteOne(change);
  }
  if (status.ok()) status = statements_[kTrimEvents].Bind(0, first_kept_event).Run();
  if (status.ok()) status = database_.Execute("COMMIT");
  if (!status.ok()) database_.Rollback();
  return status;
}

absl::Status ChangeWriter::ForgetRequests(absl::Time before) {
  ASSIGN_OR_RETURN(Statement statement, database_.Prepare("DELETE FROM request_ids WHERE deleted_ns > ? AND deleted_ns < ?"));
  return statement.Bind(0, ToNanos(absl::InfinitePast())).Bind(1, ToNanos(before)).Run();
}

}  // namespace traind::server::store
