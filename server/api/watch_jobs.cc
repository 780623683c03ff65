#include "server/api/watch_jobs.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "server/api/job_proto.h"
#include "server/api/job_view.h"

namespace traind::server::api {
namespace {

constexpr int kEventsPerRead = 256;
constexpr absl::Duration kProgressInterval = absl::Seconds(1);

// Works in rounds: a set of jobs to tell about, each once however often it changed, then the next set. The token of a round is where the
// round began, so that a client that comes back in its middle gets some jobs again and misses none.
class JobSource final : public StreamSource<v1::WatchJobsResponse> {
 public:
  // From the jobs as they are: `sequence` was read before them.
  static std::unique_ptr<JobSource> FromNow(const ApiContext& api, std::string name, int64_t sequence) {
    std::unique_ptr<JobSource> source(new JobSource(api, std::move(name), "", sequence));
    source->views_.emplace(api);
    for (const store::JobPtr& job : api.store.List()) source->Queue(JobName(job->id));
    return source;
  }
  static std::unique_ptr<JobSource> FromToken(const ApiContext& api, std::string name, int64_t sequence) {
    return std::unique_ptr<JobSource>(new JobSource(api, std::move(name), absl::StrCat(sequence), sequence));
  }

  absl::StatusOr<std::optional<v1::WatchJobsResponse>> Next() override {
    if (round_.empty()) {
      RETURN_IF_ERROR(QueueEvents());
      if (!synced_ && round_.empty()) {
        synced_ = true;
        v1::WatchJobsResponse message = Heartbeat();
        message.set_synced(true);
        return message;
      }
      QueueProgress();
    }
    if (round_.empty()) return std::nullopt;
    const std::string name = std::move(round_.front());
    round_.pop_front();
    queued_.erase(name);
    return Tell(name);
  }

  bool done() const override { return false; }
  v1::WatchJobsResponse Heartbeat() const override {
    v1::WatchJobsResponse message;
    message.set_heartbeat(true);
    message.set_resume_token(resume_token());
    return message;
  }
  // Empty while the jobs as they are are being told: who comes back then starts anew.
  std::string resume_token() const override { return token_; }

 private:
  JobSource(const ApiContext& api, std::string name, std::string token, int64_t sequence)
      : api_(api), name_(std::move(name)), token_(std::move(token)), sequence_(sequence) {}

  absl::StatusOr<std::optional<v1::WatchJobsResponse>> Tell(const std::string& name) {
    v1::WatchJobsResponse message;
    ASSIGN_OR_RETURN(const JobId id, ParseJobName(name));
    const absl::StatusOr<store::JobPtr> job = api_.store.Get(id);
    if (job.ok()) {
      *message.mutable_job() = views_->Of(**job);
    } else {
      message.mutable_job()->set_name(name);
      message.set_deleted(true);
    }
    if (round_.empty() && !token_.empty()) token_ = absl::StrCat(sequence_);
    message.set_resume_token(token_);
    return message;
  }

  // A new round with the jobs that changed since the last one.
  absl::Status QueueEvents() {
    const int64_t newest = api_.store.sequence();
    if (newest > sequence_) {
      ASSIGN_OR_RETURN(const std::vector<domain::Event> events, api_.store.Events(name_, sequence_, kEventsPerRead));
      for (const domain::Event& event : events) Queue(event.target);
      // Fewer than asked for: there are no others up to `newest`, whatever they would be about.
      sequence_ = static_cast<int>(events.size()) < kEventsPerRead ? newest : events.back().sequence;
      if (!events.empty()) sequence_ = std::max(sequence_, events.back().sequence);
    }
    if (round_.empty()) token_ = absl::StrCat(sequence_);
    views_.emplace(api_);
    return absl::OkStatus();
  }

  // Jobs that made progress, at most once a second.
  void QueueProgress() {
    const absl::Duration now = api_.clock.Steady();
    if (now - last_progress_ < kProgressInterval) return;
    last_progress_ = now;
    std::map<std::string, Seen> seen;
    for (const supervisor::SlotView& slot : api_.supervisor.Slots()) {
      const absl::StatusOr<JobId> id = ParseJobName(slot.held_by);
      if (!id.ok()) continue;
      const std::optional<supervisor::Progress> progress = api_.supervisor.ProgressOf(*id);
      if (progress.has_value()) seen[slot.held_by] = {progress->step, progress->fold, progress->phase};
    }
    for (const auto& [name, now_seen] : seen) {
      const auto before = progress_.find(name);
      if (before == progress_.end() || before->second != now_seen) Queue(name);
    }
    progress_ = std::move(seen);
  }

  void Queue(const std::string& name) {
    if (!name_.empty() && name != name_) return;
    if (ParseJobName(name).ok() && queued_.insert(name).second) round_.push_back(name);
  }

  using Seen = std::tuple<int64_t, int, std::string>;  // step, fold, phase

  const ApiContext& api_;
  const std::string name_;  // empty: all
  std::string token_;
  int64_t sequence_;  // of the last event that is told or in the round
  bool synced_ = false;
  std::deque<std::string> round_;
  std::set<std::string> queued_;  // the same names
  std::map<std::string, Seen> progress_;
  absl::Duration last_progress_ = -absl::InfiniteDuration();
  std::optional<JobViews> views_;  // of this round
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchJobsResponse>>> WatchJobsSource(const ApiContext& api,
                                                                                     const v1::WatchJobsRequest& request) {
  if (!request.name().empty()) {
    ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.name()));
    RETURN_IF_ERROR(api.store.Get(id).status());
  }
  // Read before the jobs are, so that a change between the two is told twice rather than not at all.
  int64_t sequence = api.store.sequence();
  if (request.resume_token().empty()) return JobSource::FromNow(api, request.name(), sequence);
  const int64_t newest = sequence;
  if (!absl::SimpleAtoi(request.resume_token(), &sequence) || sequence < 0) {
    return absl::InvalidArgumentError("resume_token is not one that a watch returned; start without one");
  }
  // Before the first event: the jobs as they are say it all, while the events since may not all be kept.
  if (sequence == 0) return JobSource::FromNow(api, request.name(), newest);
  if (sequence > newest) return absl::OutOfRangeError("resume_token is of another state folder; start without one");
  RETURN_IF_ERROR(api.store.Events(request.name(), sequence, 1).status());
  return JobSource::FromToken(api, request.name(), sequence);
}

}  // namespace traind::server::api
