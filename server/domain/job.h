// A job as the coordinator keeps it: the specification as opaque bytes, the few fields that scheduling needs, state and attempts.
// Plain values; the layers below the API never see a protocol buffer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/failure.h"
#include "common/base/ids.h"
#include "server/domain/job_state.h"

namespace traind::server::domain {

// A process that survives our restart is known by all three: a pid alone may be somebody else's by now.
struct ProcessId {
  std::string boot_id;
  int pid = 0;
  uint64_t start_time_ticks = 0;
  bool operator==(const ProcessId&) const = default;
};

enum class AttemptState { kStarting, kRunning, kStopping, kEnded };

// One gang started for a job.
struct Attempt {
  AttemptId number;
  Incarnation incarnation;
  AttemptState state = AttemptState::kStarting;
  std::vector<std::string> slots;  // "cpu0", "gpu1"; one per rank
  std::vector<ProcessId> shims;    // one per rank, once spawned
  FailureCause cause = FailureCause::kNone;
  std::string error;
  int exit_code = 0;
  int signal = 0;
  absl::Time start_time;
  absl::Time end_time;
  bool operator==(const Attempt&) const = default;
};

struct Job {
  JobId id;
  std::string uid;
  std::string request_id;
  std::string owner;                           // "uid:1000"
  std::string spec_bytes;                      // normalised specification, deterministic serialisation
  std::string spec_sha256;                     // hex
  std::map<std::string, std::string> origins;  // path → where the user's value came from

  // Copies of the specification's fields that the scheduler reads.
  std::string display_name;
  std::map<std::string, std::string> labels;
  std::string kind;  // "dqn"
  int priority = 50;
  int slots = 1;
  std::string device = "auto";
  std::optional<absl::Duration> max_runtime;
  std::optional<absl::Duration> queue_deadline;
  std::map<FailureCause, int> retry_budget;
  int checkpoint_keep_last = 3;

  JobState state = JobState::kPending;
  std::string state_reason;   // UPPER_SNAKE
  std::string state_message;  // a sentence
  FailureCause cause = FailureCause::kNone;
  std::string error;
  std::vector<Attempt> attempts;
  std::map<std::string, std::string> result;

  absl::Time create_time;
  absl::Time start_time = absl::InfinitePast();
  absl::Time end_time = absl::InfinitePast();
  // Grows by one with every committed change.
  int64_t revision = 0;

  const Attempt* current_attempt() const { return attempts.empty() ? nullptr : &attempts.back(); }
  Attempt* current_attempt() { return attempts.empty() ? nullptr : &attempts.back(); }
};

struct Event {
  int64_t sequence = 0;  // assigned by the store
  absl::Time time;
  std::string actor;   // "uid:1000" or "traind"
  std::string action;  // CREATED, STATE_CHANGED, ATTEMPT_STARTED, ATTEMPT_ENDED, CHECKPOINT_COMMITTED, CANCEL_REQUESTED, DELETED
  std::string target;  // "jobs/<id>"
  std::string message;
};

struct Checkpoint {
  JobId job;
  int64_t step = 0;
  AttemptId attempt;
  std::string folder;  // name below the job's checkpoints folder
  int64_t size_bytes = 0;
  std::string manifest_sha256;
  absl::Time create_time;
  bool pinned = false;
  std::map<std::string, double> metrics;
};

}  // namespace traind::server::domain
