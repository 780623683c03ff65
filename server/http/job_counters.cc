#include "server/http/job_counters.h"

#include "absl/strings/ascii.h"

namespace traind::server::http {
namespace {

// From a second to a week: how long jobs wait.
const std::vector<double>& WaitBuckets() {
  static const std::vector<double> buckets = {0.1, 1, 10, 60, 600, 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600};
  return buckets;
}

}  // namespace

JobCounters::JobCounters(obs::Metrics& metrics, store::JobStore& store) : metrics_(metrics), store_(store) {
  {
    MutexLock lock(mutex_);
    for (const store::JobPtr& job : store_.List()) {
      if (!domain::IsTerminal(job->state)) states_[job->id] = job->state;
    }
  }
  listener_ = store_.AddListener([this](const store::StoreChange& change) { OnChange(change); });
}

JobCounters::~JobCounters() { store_.RemoveListener(listener_); }

void JobCounters::OnChange(const store::StoreChange& change) {
  if (change.job == nullptr) return;
  const domain::Job& job = *change.job;
  MutexLock lock(mutex_);
  if (change.deleted) {
    states_.erase(job.id);
    return;
  }
  const auto known = states_.find(job.id);
  const bool is_new = known == states_.end();
  if (is_new && domain::IsTerminal(job.state)) return;
  if (is_new)
    metrics_.AddCounter("traind_jobs_submitted_total", "Jobs submitted since the start of the daemon.", {{"kind", job.kind}}).Increment();
  const domain::JobState before = is_new ? domain::JobState::kPending : known->second;
  if (before == domain::JobState::kPending && job.state == domain::JobState::kStarting && job.attempts.size() == 1) {
    metrics_
        .AddHistogram("traind_job_queue_wait_seconds", "Time from submission to the start of the first attempt.", WaitBuckets(),
                      {{"kind", job.kind}})
        .Observe(absl::ToDoubleSeconds(job.attempts.front().start_time - job.create_time));
  }
  if (!domain::IsTerminal(job.state)) {
    states_[job.id] = job.state;
    return;
  }
  states_.erase(job.id);
  metrics_
      .AddCounter("traind_jobs_finished_total", "Jobs that ended since the start of the daemon.",
                  {{"kind", job.kind}, {"outcome", absl::AsciiStrToLower(domain::JobStateName(job.state))}})
      .Increment();
}

}  // namespace traind::server::http
