#include "server/store/job_book.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace traind::server::store {
namespace {

using domain::Checkpoint;
using domain::Event;
using domain::Job;

std::string NameOf(const JobId& id) { return absl::StrCat("jobs/", id.value()); }

Event Complete(Event event, const JobId& id, absl::Time now) {
  event.time = now;
  event.target = NameOf(id);
  return event;
}

absl::Status Reused(absl::string_view request_id, const RequestRow& row, absl::string_view why) {
  return WithReason(absl::AlreadyExistsError(
                        absl::StrCat("request id ", request_id, " has made ", NameOf(row.job), ", ", why, "; draw a new request id")),
                    "REQUEST_ID_REUSED");
}

// The attempt that may write for the job right now.
bool IsCurrent(const Job& job, AttemptId number, Incarnation incarnation) {
  const domain::Attempt* const attempt = job.current_attempt();
  return attempt != nullptr && attempt->number == number && attempt->incarnation == incarnation &&
         attempt->state != domain::AttemptState::kEnded;
}

// Whichever attempt announces it: one that starts anew comes by the checkpoints of those before it.
bool SameFiles(const Checkpoint& a, const Checkpoint& b) {
  return a.folder == b.folder && a.manifest_sha256 == b.manifest_sha256 && a.size_bytes == b.size_bytes;
}

}  // namespace

void JobBook::Load(Job job) {
  auto shared = std::make_shared<const Job>(std::move(job));
  order_[PlaceOf(*shared)] = shared;
  jobs_[shared->id].job = std::move(shared);
}

void JobBook::Load(Checkpoint checkpoint) {
  auto& checkpoints = jobs_[checkpoint.job].checkpoints;
  checkpoints[checkpoint.step] = std::move(checkpoint);
}

void JobBook::Load(Event event) {
  sequence_ = event.sequence;
  events_.push_back(std::move(event));
}

void JobBook::Load(std::string request_id, RequestRow row) { requests_[std::move(request_id)] = std::move(row); }

absl::StatusOr<const JobBook::Entry*> JobBook::Find(const JobId& id) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return absl::NotFoundError(absl::StrCat("there is no ", NameOf(id)));
  return &found->second;
}

absl::StatusOr<Change> JobBook::PlanCreate(Job job, absl::Time now) const {
  if (const auto found = requests_.find(job.request_id); found != requests_.end()) {
    const RequestRow& row = found->second;
    if (row.spec_sha256 != job.spec_sha256) return Reused(job.request_id, row, "with another specification");
    if (row.deleted != absl::InfinitePast()) return Reused(job.request_id, row, "which has been deleted");
    Change change;
    change.job = jobs_.at(row.job).job;
    return change;
  }
  if (jobs_.contains(job.id)) return absl::AlreadyExistsError(absl::StrCat(NameOf(job.id), " exists already"));
  Change change;
  change.created = true;
  Event event;
  event.actor = job.owner;
  event.action = "CREATED";
  event.message = job.display_name;
  change.event = Complete(std::move(event), job.id, now);
  job.revision = 1;
  change.job = std::make_shared<const Job>(std::move(job));
  return change;
}

absl::StatusOr<Change> JobBook::PlanMutate(const JobId& id, const JobStore::Mutation& mutation, Event event, absl::Time now) const {
  ASSIGN_OR_RETURN(const Entry* const entry, Find(id));
  auto job = std::make_shared<Job>(*entry->job);
  RETURN_IF_ERROR(mutation(*job));
  if (job->state != entry->job->state) RETURN_IF_ERROR(Annotate(domain::CheckTransition(entry->job->state, job->state), NameOf(id)));
  job->revision = entry->job->revision + 1;
  Change change;
  change.updated = true;
  if (job->state == domain::JobState::kSucceeded && entry->job->state != job->state) change.trial = domain::TrialOf(*job);
  change.job = std::move(job);
  change.event = Complete(std::move(event), id, now);
  return change;
}

absl::StatusOr<Change> JobBook::PlanDelete(const JobId& id, Event event, absl::Time now) const {
  ASSIGN_OR_RETURN(const Entry* const entry, Find(id));
  if (!domain::IsTerminal(entry->job->state)) {
    return WithReason(absl::FailedPreconditionError(absl::StrCat(NameOf(id), " is ", domain::JobStateName(entry->job->state),
                                                                 "; only ended jobs can be deleted: cancel it first")),
                      "JOB_NOT_ENDED");
  }
  Change change;
  change.deleted = true;
  change.job = entry->job;
  change.event = Complete(std::move(event), id, now);
  return change;
}

absl::StatusOr<Change> JobBook::PlanCheckpoint(const Checkpoint& checkpoint, Incarnation incarnation, absl::Time now) const {
  ASSIGN_OR_RETURN(const Entry* const entry, Find(checkpoint.job));
  if (!IsCurrent(*entry->job, checkpoint.attempt, incarnation)) {
    return WithReason(
        absl::AbortedError(absl::StrCat("attempt ", checkpoint.attempt.value(), " of ", NameOf(checkpoint.job),
                                        " is no longer the one that runs: its checkpoint at step ", checkpoint.step, " is not accepted")),
        "FENCED");
  }
  Change change;
  change.job = entry->job;
  const auto same_step = entry->checkpoints.find(checkpoint.step);
  // A worker that lost the answer, or a new attempt, announces the same checkpoint again.
  if (same_step != entry->checkpoints.end() && SameFiles(same_step->second, checkpoint)) return change;
  change.checkpoint = checkpoint;
  Event event;
  event.actor = "traind";
  event.action = "CHECKPOINT_COMMITTED";
  event.message = absl::StrCat("step ", checkpoint.step);
  change.event = Complete(std::move(event), checkpoint.job, now);
  return change;
}

absl::StatusOr<Change> JobBook::PlanForget(const JobId& id, const std::vector<int64_t>& steps) const {
  ASSIGN_OR_RETURN(const Entry* const entry, Find(id));
  Change change;
  change.job = entry->job;
  for (const int64_t step : steps) {
    if (entry->checkpoints.contains(step)) change.forgotten.push_back(step);
  }
  return change;
}

void JobBook::Arrange(std::vector<Change>& changes) const {
  int64_t sequence = sequence_;
  for (Change& change : changes) {
    if (change.event) change.event->sequence = ++sequence;
  }
  CountTrials(changes);
}

void JobBook::CountTrials(std::vector<Change>& changes) const {
  std::map<std::string, Sharpes> counted;
  for (Change& change : changes) {
    if (!change.trial) continue;
    const auto [data, first] = counted.try_emplace(change.trial->data_fingerprint);
    if (const auto committed = trials_.find(data->first); first && committed != trials_.end()) data->second = committed->second;
    data->second[change.trial->spec_sha256] = change.trial->sharpe;
    std::vector<double> sharpes;
    for (const auto& [spec, sharpe] : data->second) sharpes.push_back(sharpe);
    auto job = std::make_shared<Job>(*change.job);
    domain::SetDeflatedSharpe(*job, sharpes);
    change.job = std::move(job);
  }
}

void JobBook::Apply(const Change& change) {
  const Job& job = *change.job;
  if (change.deleted) {
    order_.erase(PlaceOf(job));
    jobs_.erase(job.id);
    if (const auto request = requests_.find(job.request_id); request != requests_.end()) request->second.deleted = change.event->time;
  } else {
    Entry& entry = jobs_[job.id];
    // A mutation may not move a job in the list; if one does, the list still holds it once.
    if (entry.job != nullptr && change.updated) order_.erase(PlaceOf(*entry.job));
    if (change.created || change.updated) {
      order_[PlaceOf(job)] = change.job;
      entry.job = change.job;
    }
    if (change.created && !job.request_id.empty()) requests_[job.request_id] = {job.id, job.spec_sha256, absl::InfinitePast()};
    if (change.checkpoint) entry.checkpoints[change.checkpoint->step] = *change.checkpoint;
    for (const int64_t step : change.forgotten) entry.checkpoints.erase(step);
  }
  if (change.trial) Load(*change.trial);
  if (change.event) Load(*change.event);
  while (static_cast<int64_t>(events_.size()) > max_events_) events_.pop_front();
}

absl::StatusOr<JobPtr> JobBook::Get(const JobId& id) const {
  ASSIGN_OR_RETURN(const Entry* const entry, Find(id));
  return entry->job;
}

std::vector<JobPtr> JobBook::List() const {
  std::vector<JobPtr> jobs;
  jobs.reserve(order_.size());
  for (const auto& [place, job] : order_) jobs.push_back(job);
  return jobs;
}

std::vector<Checkpoint> JobBook::Checkpoints(const JobId& id) const {
  std::vector<Checkpoint> checkpoints;
  if (const auto found = jobs_.find(id); found != jobs_.end()) {
    for (const auto& [step, checkpoint] : found->second.checkpoints) checkpoints.push_back(checkpoint);
  }
  return checkpoints;
}

absl::StatusOr<std::vector<Event>> JobBook::Events(const std::string& target, int64_t after, int limit) const {
  if (after > 0 && after + 1 < first_sequence()) {
    return absl::OutOfRangeError(absl::StrCat("events up to ", first_sequence() - 1, " are no longer kept, so that none after ", after,
                                              " can be shown without a gap"));
  }
  const auto begin = std::upper_bound(events_.begin(), events_.end(), after,
                                      [](int64_t sequence, const Event& event) { return sequence < event.sequence; });
  std::vector<Event> found;
  for (auto event = begin; event != events_.end() && static_cast<int>(found.size()) < limit; ++event) {
    if (target.empty() || event->target == target) found.push_back(*event);
  }
  return found;
}

StoreChange ToStoreChange(const Change& change) { return {change.event ? change.event->sequence : 0, change.job, change.deleted}; }

}  // namespace traind::server::store
