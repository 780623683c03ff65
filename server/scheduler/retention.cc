#include "server/scheduler/retention.h"

#include <algorithm>
#include <tuple>

namespace traind::server::scheduler {

std::vector<JobId> DueForRemoval(std::vector<FinishedJob> finished, const RetentionPolicy& policy, absl::Duration now) {
  std::sort(finished.begin(), finished.end(),
            [](const FinishedJob& a, const FinishedJob& b) { return std::tie(a.ended, a.id) < std::tie(b.ended, b.id); });
  const int64_t surplus = static_cast<int64_t>(finished.size()) - policy.max_jobs;
  std::vector<JobId> due;
  for (const FinishedJob& job : finished) {
    if (static_cast<int64_t>(due.size()) >= surplus && now - job.ended <= policy.max_age) break;
    due.push_back(job.id);
  }
  return due;
}

}  // namespace traind::server::scheduler
