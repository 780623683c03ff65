// Which finished jobs go. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "common/base/ids.h"

namespace traind::server::scheduler {

struct FinishedJob {
  JobId id;
  absl::Duration ended;  // on the steady clock (reconciler.h, AnchorSince)
};

struct RetentionPolicy {
  int64_t max_jobs = 1000;
  absl::Duration max_age = absl::Hours(720);
};

// Jobs that are older than `max_age`, and the oldest ones beyond `max_jobs`; oldest first, equal ones by id.
std::vector<JobId> DueForRemoval(std::vector<FinishedJob> finished, const RetentionPolicy& policy, absl::Duration now);

}  // namespace traind::server::scheduler
