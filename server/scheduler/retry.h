// What follows the end of an attempt, and the changes of a job around an attempt. Pure functions; thread-safe. The supervisor runs the
// changes inside JobStore::Mutate, where they see the newest version.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/domain/job.h"

namespace traind::server::scheduler {

// Failures in a row, without a checkpoint committed in between, that end a job whatever its budgets say.
inline constexpr int kMaxFailuresInRow = 3;
inline constexpr absl::Duration kFirstBackoff = absl::Seconds(1);
inline constexpr absl::Duration kLongestBackoff = absl::Seconds(60);

// How a whole attempt ended.
struct AttemptEnd {
  FailureCause cause = FailureCause::kNone;
  std::string error;
  int exit_code = 0;
  int signal = 0;
  bool operator==(const AttemptEnd&) const = default;
};

struct RetryDecision {
  bool retry = false;
  absl::Duration backoff;  // before the next attempt
  std::string message;     // "attempt 2 follows in 1.4 s (CRASHED, 1 of 3 retries used)", or why there is none
  bool operator==(const RetryDecision&) const = default;
};

// `job` still has the attempt as its current one. `newest_checkpoint`: the attempt that committed the job's newest checkpoint, 0 if there
// is none: failures of earlier attempts no longer count. `jitter` in [0, 1) spreads the backoff over [half, full].
//   USER_ERROR, CONFIG, DATA, NON_FINITE   never retried
//   CRASHED, PEER, OOM_*, TIMEOUT          within the job's budget of that cause
//   PREEMPTED, NODE_LOST, COORDINATOR      always, and not counted as a failure
RetryDecision DecideRetry(const domain::Job& job, FailureCause cause, AttemptId newest_checkpoint, double jitter);

// PENDING → STARTING with a new attempt, numbered one up, state kStarting, without shims.
// FAILED_PRECONDITION if the job is no longer PENDING.
absl::Status BeginAttempt(domain::Job& job, std::vector<std::string> slots, Incarnation incarnation, absl::Time now);

// STARTING → RUNNING, its attempt too. FAILED_PRECONDITION if it is not STARTING.
absl::Status MarkRunning(domain::Job& job);

// Ends the current attempt and moves the job on, from the state it is in by now:
//   success                          SUCCEEDED
//   CANCELLING                       CANCELLED
//   SUSPENDING                       SUSPENDED; FAILED if `decision` forbids a retry
//   else                             PENDING or FAILED, by `decision`
// FAILED_PRECONDITION if `attempt` is not the current one or has ended already.
absl::Status EndAttempt(domain::Job& job, AttemptId attempt, const AttemptEnd& end, const RetryDecision& decision, absl::Time now);

// PENDING → FAILED without an attempt. FAILED_PRECONDITION if it is no longer PENDING.
absl::Status FailPending(domain::Job& job, FailureCause cause, std::string error, absl::Time now);

}  // namespace traind::server::scheduler
