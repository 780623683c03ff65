#include "server/api/job_view.h"

#include <optional>

#include "server/api/job_proto.h"

namespace traind::server::api {

v1::Job JobView(const ApiContext& api, const domain::Job& job) {
  v1::Job message = ToProto(job);
  if (domain::IsActive(job.state)) {
    const std::optional<supervisor::Progress> progress = api.supervisor.ProgressOf(job.id);
    if (progress.has_value()) *message.mutable_progress() = ToProto(*progress);
  }
  if (job.state != domain::JobState::kPending) return message;
  for (const supervisor::QueueView& entry : api.supervisor.Queue()) {
    if (entry.job != job.id) continue;
    message.set_queue_position(entry.position);
    message.set_state_reason(entry.reason);
    message.set_state_message(entry.message);
  }
  return message;
}

}  // namespace traind::server::api
