// What this life of the daemon knows of the jobs that wait or run, beside what the store says. Plain data with the rules of who may change
// it; thread-compatible, guarded by the supervisor's mutex.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/scheduler/reconciler.h"
#include "server/supervisor/worker_sessions.h"

namespace traind::server::supervisor {

struct RankSession {
  std::shared_ptr<WorkerLink> link;  // null while there is no stream
  std::string metrics_address;
  std::optional<scheduler::RankEnd> reported;  // what the worker said of its end
};

// One attempt, or one data check.
struct LiveAttempt {
  AttemptId number;
  Incarnation incarnation;
  std::vector<std::string> slots;
  std::vector<domain::ProcessId> shims;  // empty until they are started
  std::vector<RankSession> ranks;
  std::optional<Progress> progress;
};

// The current attempt that `key` speaks for. ABORTED, reason FENCED, for any other attempt, incarnation or rank.
absl::StatusOr<LiveAttempt*> FindAttempt(std::map<JobId, LiveAttempt>& attempts, const WorkerKey& key);

}  // namespace traind::server::supervisor
