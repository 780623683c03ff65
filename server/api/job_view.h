// Jobs as a client sees them.
#pragma once

#include <map>
#include <optional>

#include "server/api/api_context.h"
#include "server/domain/job.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

// The stored record with progress, queue position and waiting reason as they are now. The queue is looked at when the first waiting job
// needs it, and then kept: one object for each answer. Thread-compatible.
class JobViews {
 public:
  explicit JobViews(const ApiContext& api) : api_(api) {}
  v1::Job Of(const domain::Job& job);

 private:
  const ApiContext& api_;
  std::optional<std::map<JobId, supervisor::QueueView>> queue_;
};

}  // namespace traind::server::api
