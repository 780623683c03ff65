#include "server/api/job_view.h"

#include <utility>

#include "server/api/job_proto.h"

namespace traind::server::api {

v1::Job JobViews::Of(const domain::Job& job) {
  v1::Job message = ToProto(job);
  if (domain::IsActive(job.state)) {
    const std::optional<supervisor::Progress> progress = api_.supervisor.ProgressOf(job.id);
    if (progress.has_value()) *message.mutable_progress() = ToProto(*progress);
  }
  if (job.state != domain::JobState::kPending) return message;
  if (!queue_.has_value()) {
    queue_.emplace();
    for (supervisor::QueueView& entry : api_.supervisor.Queue()) queue_->emplace(entry.job, std::move(entry));
  }
  const auto entry = queue_->find(job.id);
  if (entry == queue_->end()) return message;
  message.set_queue_position(entry->second.position);
  message.set_state_reason(entry->second.reason);
  message.set_state_message(entry->second.message);
  return message;
}

}  // namespace traind::server::api
