// The states of a job and every legal way between them.
//
//                    ┌────────────── retry ──────────────┐
//                    ▼                                   │
//   (create) ──▶ PENDING ──▶ STARTING ──▶ RUNNING ──────▶┤
//                 │  ▲  │      │  │        │ │ │ │       │
//                 │  │  │      │  └────────┼─┼─┼─┴──▶ SUSPENDING ──▶ SUSPENDED
//                 │  └──┼──────┼───────────┼─┼─┼── (resume) ────────────┘  │
//                 │     │      ▼           ▼ │ │                           │
//                 │     │   CANCELLING ◀───┘ │ │                           │
//                 │     ▼      │             ▼ ▼                           │
//                 └▶ FAILED    └▶ CANCELLED  SUCCEEDED / FAILED            │
//                 └────────────▶ CANCELLED ◀───────────────────────────────┘
//
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

// OK, or FAILED_PRECONDITION naming both states. The only place that knows the table.
absl::Status CheckTransition(JobState from, JobState to);

}  // namespace traind::server::domain
