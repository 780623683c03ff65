// One step of the loop that makes the machine look like the store: (Snapshot, now) → Plan. Pure; thread-safe. All times are of the steady
// clock, so that setting the wall clock ends no lease and no job.
//
// The supervisor gathers a snapshot, calls Reconcile, carries out the actions in order, notes in its facts what it did (stop, terminate,
// kill: the time; the verdict), and calls again a tick later. An action that could not be carried out is simply planned again.
//
// A gang stops as a whole. Stages, each entered once the former had its time: stop command (only while its workers are registered), then
// SIGTERM after `stop_wait`, then SIGKILL after `stop_grace`. An attempt has ended when every rank has, not earlier: until then its slots
// stay held.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "server/domain/job.h"
#include "server/scheduler/placement.h"
#include "server/scheduler/retention.h"
#include "server/scheduler/retry.h"

namespace traind::server::scheduler {

// How one rank ended: the worker's own report where it made one, else the shim's record, else what the lack of both means.
struct RankEnd {
  FailureCause cause = FailureCause::kNone;
  std::string error;  // empty: a sentence is made from the exit code and signal
  int exit_code = 0;
  int signal = 0;
};

struct RankFacts {
  bool registered = false;     // in this life of the daemon
  absl::Duration last_heard;   // registration, heartbeat or any other message
  std::optional<RankEnd> end;  // set once the process is gone
};

// The coordinator's own reason to end an attempt. It outranks how the processes end, except when they all succeed.
struct Verdict {
  FailureCause cause = FailureCause::kNone;
  std::string error;
};

struct AttemptFacts {
  absl::Duration launched;       // or adopted, after a restart of the daemon
  std::vector<RankFacts> ranks;  // one per slot
  // When each stage of the stop was entered.
  std::optional<absl::Duration> stop_requested, terminated, killed;
  std::optional<Verdict> verdict;
};

// What only this life of the daemon knows of a job.
struct JobFacts {
  // PENDING: since when it waits. Active: since when its attempt has been RUNNING.
  absl::Duration since;
  absl::Duration backoff_until = -absl::InfiniteDuration();
  AttemptId newest_checkpoint;          // the attempt that came to the highest step of all; 0: none
  std::optional<AttemptFacts> attempt;  // of the current, unended attempt, from its launch or adoption on
};

struct Options {
  absl::Duration lease = absl::Seconds(10);
  absl::Duration start_timeout = absl::Seconds(60);
  absl::Duration stop_wait = absl::Seconds(10);   // stop command to SIGTERM
  absl::Duration stop_grace = absl::Seconds(30);  // SIGTERM to SIGKILL
  absl::Duration late_tick = absl::Seconds(1);    // a tick that comes later than this past its time was held up
  RetentionPolicy retention;
};

struct Snapshot {
  std::vector<std::shared_ptr<const domain::Job>> jobs;  // all that have not ended
  std::map<JobId, JobFacts> facts;                       // a PENDING job without an entry has `since` = now
  std::vector<Slot> slots;                               // held_by as the jobs' unended attempts say
  std::vector<FinishedJob> finished;                     // empty where retention is not to be looked at
  bool cordoned = false;
  absl::Duration due;        // when this tick should have come; now, for the first one
  uint64_t jitter_seed = 0;  // drawn once per life of the daemon
};

enum class StopKind { kCancel, kSuspend };

// Commit BeginAttempt, then launch.
struct StartAttempt {
  JobId job;
  std::vector<std::string> slots;
};
// Commit MarkRunning: every rank has registered.
struct ReportRunning {
  JobId job;
};
// Stop command to every registered rank. `verdict`, here and below: to be kept in the facts if present.
struct RequestStop {
  JobId job;
  StopKind kind = StopKind::kCancel;
  std::string reason;
  std::optional<Verdict> verdict;
};
// SIGTERM to every rank that has not ended.
struct Terminate {
  JobId job;
  std::optional<Verdict> verdict;
};
// SIGKILL to every rank that has not ended.
struct Kill {
  JobId job;
  std::optional<Verdict> verdict;
};
// Commit EndAttempt with these; on a retry set backoff_until = now + decision.backoff.
struct FinishAttempt {
  JobId job;
  AttemptId attempt;
  AttemptEnd end;
  RetryDecision decision;
};
// Commit scheduler::FailPending.
struct FailWaiting {
  JobId job;
  FailureCause cause = FailureCause::kTimeout;
  std::string error;
};
// The tick came late: the machine or the daemon stood still, and nobody could be heard. Add `by` to every last_heard and launched.
struct ExtendLeases {
  absl::Duration by;
};
// Delete the job and its folder.
struct DeleteFinished {
  JobId job;
};
using Action =
    std::variant<ExtendLeases, StartAttempt, ReportRunning, RequestStop, Terminate, Kill, FinishAttempt, FailWaiting, DeleteFinished>;

struct Plan {
  std::vector<Action> actions;
  std::vector<QueueEntry> queue;  // who waits after the actions, in order
};

Plan Reconcile(const Snapshot& snapshot, const Options& options, absl::Duration now);

// The steady time of something that was recorded as the wall time `then`: for since, ended, launched after a restart. To be called once
// per thing, when it is first seen; later jumps of the wall clock then change nothing. A `then` in the future counts as now.
absl::Duration AnchorSince(absl::Time then, absl::Time wall_now, absl::Duration steady_now);

}  // namespace traind::server::scheduler
