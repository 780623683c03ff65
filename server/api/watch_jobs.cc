#include "server/api/watch_jobs.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "server/api/job_proto.h"
#include "server/api/job_view.h"

namespace traind::server::api {
namespace {

constexpr int kEventsPerRead = 256;
constexpr absl::Duration kProgressInterval = absl::Seconds(1);

class Source final : public StreamSource<v1::WatchJobsResponse> {
 public:
  Source(const ApiContext& api, std::string name, int64_t sequence, bool from_token)
      : api_(api), name_(std::move(name)), sequence_(sequence), synced_(from_token) {}

  // Queues the jobs as they are.
  void QueueExisting() {
    for (const store::JobPtr& job : api_.store.List()) {
      if (name_.empty() || JobName(job->id) == name_) pending_.push_back(JobName(job->id));
    }
    queued_.insert(pending_.begin(), pending_.end());
  }

  absl::StatusOr<std::optional<v1::WatchJobsResponse>> Next() override {
    if (pending_.empty() && !synced_) {
      synced_ = true;
      v1::WatchJobsResponse message = Heartbeat();
      message.set_synced(true);
      return message;
    }
    if (pending_.empty()) RETURN_IF_ERROR(QueueChanges());
    if (pending_.empty()) return std::nullopt;
    v1::WatchJobsResponse message;
    const std::string name = pending_.front();
    pending_.pop_front();
    queued_.erase(name);
    ASSIGN_OR_RETURN(const JobId id, ParseJobName(name));
    const absl::StatusOr<store::JobPtr> job = api_.store.Get(id);
    if (job.ok()) {
      *message.mutable_job() = JobView(api_, **job);
    } else {
      message.mutable_job()->set_name(name);
      message.set_deleted(true);
    }
    message.set_resume_token(resume_token());
    return message;
  }

  bool done() const override { return false; }
  v1::WatchJobsResponse Heartbeat() const override {
    v1::WatchJobsResponse message;
    message.set_heartbeat(true);
    message.set_resume_token(resume_token());
    return message;
  }
  // While messages are waiting, the token is that of the state before them: a client that comes back gets them again, never misses one.
  std::string resume_token() const override { return absl::StrCat(pending_.empty() ? sequence_ : sequence_before_pending_); }

 private:
  absl::Status QueueChanges() {
    sequence_before_pending_ = sequence_;
    if (api_.store.sequence() > sequence_) {
      ASSIGN_OR_RETURN(const std::vector<domain::Event> events, api_.store.Events(name_, sequence_, kEventsPerRead));
      for (const domain::Event& event : events) {
        sequence_ = event.sequence;
        Queue(event.target);
      }
    }
    const absl::Duration now = api_.clock.Steady();
    if (now - last_progress_ < kProgressInterval) return absl::OkStatus();
    last_progress_ = now;
    for (const store::JobPtr& job : api_.store.List()) {
      const std::string name = JobName(job->id);
      if (!domain::IsActive(job->state) || (!name_.empty() && name != name_)) continue;
      const std::optional<supervisor::Progress> progress = api_.supervisor.ProgressOf(job->id);
      if (progress.has_value() && std::exchange(steps_[name], progress->step) != progress->step) Queue(name);
    }
    return absl::OkStatus();
  }

  void Queue(const std::string& name) {
    if (queued_.insert(name).second) pending_.push_back(name);
  }

  const ApiContext& api_;
  const std::string name_;  // empty: all
  int64_t sequence_;
  int64_t sequence_before_pending_ = 0;
  bool synced_;
  std::deque<std::string> pending_;
  std::set<std::string> queued_;
  std::map<std::string, int64_t> steps_;  // last progress sent
  absl::Duration last_progress_ = -absl::InfiniteDuration();
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchJobsResponse>>> WatchJobsSource(const ApiContext& api,
                                                                                     const v1::WatchJobsRequest& request) {
  if (!request.name().empty()) {
    ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.name()));
    RETURN_IF_ERROR(api.store.Get(id).status());
  }
  // Read before the jobs are, so that a change between the two is sent twice rather than not at all.
  int64_t sequence = api.store.sequence();
  const bool from_token = !request.resume_token().empty();
  if (from_token && (!absl::SimpleAtoi(request.resume_token(), &sequence) || sequence < 0)) {
    return absl::InvalidArgumentError("resume_token is not one that a watch returned; start without one");
  }
  auto source = std::make_unique<Source>(api, request.name(), sequence, from_token);
  if (from_token) {
    RETURN_IF_ERROR(api.store.Events(request.name(), sequence, 1).status());
  } else {
    source->QueueExisting();
  }
  return source;
}

}  // namespace traind::server::api
