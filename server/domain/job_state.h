// The states of a job and every legal way between them.
//
//   (create) ──▶ PENDING ──▶ STARTING ──▶ RUNNING ──▶ SUCCEEDED | FAILED
//                   ▲            │           │
//                   ├── retry ───┴───────────┤
//                   └── resume ── SUSPENDED ◀── SUSPENDING
//
//   from         to
//   PENDING      STARTING    a gang was placed
//                FAILED      queue deadline, or it could not be prepared
//                CANCELLED   nothing runs, so nothing has to be stopped
//   STARTING     RUNNING     every rank has registered
//                PENDING     the attempt failed and is retried
//                SUSPENDING, CANCELLING
//                SUCCEEDED   it ended while the daemon was away and so was never seen running
//                FAILED      the attempt failed for good
//   RUNNING      PENDING, SUSPENDING, CANCELLING, SUCCEEDED, FAILED    as above
//   SUSPENDING   SUSPENDED   its processes are gone
//                CANCELLING  cancelled meanwhile
//                SUCCEEDED, FAILED    it ended before the stop reached it: it ends as what it did
//   SUSPENDED    PENDING     resumed
//                CANCELLED
//   CANCELLING   CANCELLED   its processes are gone
//                SUCCEEDED   it had finished before the stop reached it: complete results are not thrown away
//
// A failure while CANCELLING ends as CANCELLED: nobody waits for the work any more, and the attempt keeps its error.
// SUCCEEDED, FAILED and CANCELLED never change.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace traind::server::domain {

enum class JobState { kPending, kStarting, kRunning, kSuspending, kSuspended, kCancelling, kSucceeded, kFailed, kCancelled };

absl::string_view JobStateName(JobState state);  // "PENDING", …
absl::Status JobStateFromName(absl::string_view name, JobState& state);
bool IsTerminal(JobState state);
// Holds slots: between placement and the confirmed end of its processes.
bool IsActive(JobState state);

// OK, or FAILED_PRECONDITION naming both states. The only place that knows the table; staying in a state is not a transition.
absl::Status CheckTransition(JobState from, JobState to);

}  // namespace traind::server::domain
