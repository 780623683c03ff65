#include "server/supervisor/attempt_table.h"

#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace traind::server::supervisor {

absl::StatusOr<LiveAttempt*> FindAttempt(std::map<JobId, LiveAttempt>& attempts, const WorkerKey& key) {
  const auto found = attempts.find(key.job);
  const bool current = found != attempts.end() && found->second.number == key.attempt && found->second.incarnation == key.incarnation &&
                       key.rank >= 0 && key.rank < static_cast<int>(found->second.ranks.size());
  if (current) return &found->second;
  return WithReason(absl::AbortedError(absl::StrCat("attempt ", key.attempt.value(), " of jobs/", key.job.value(),
                                                    " is not the one that runs now; this worker must end")),
                    "FENCED");
}

}  // namespace traind::server::supervisor
