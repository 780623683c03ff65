// The loop that makes the machine look like the store: places waiting jobs on slots, starts their workers, follows them to the end,
// stops what was cancelled. Owns one thread; decisions are the pure functions of server/scheduler.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/supervisor/worker_sessions.h"

namespace traind::server::supervisor {

struct SlotView {
  std::string name;     // "cpu0"
  std::string type;     // "cpu", "gpu"
  std::string held_by;  // "jobs/<id>" or empty
};

struct QueueView {
  JobId job;
  int position = 0;  // from 1
  std::string reason;
  std::string message;
};

struct ScrapeTarget {
  std::string address;  // host:port
  JobId job;
  int rank = 0;
  std::string slot;
};

// The face of the supervisor towards API and HTTP. Thread-safe.
class Supervisor : public WorkerSessions {
 public:
  // Newest progress of a job that runs in this life of the daemon.
  virtual std::optional<Progress> ProgressOf(const JobId& job) const = 0;
  virtual std::vector<SlotView> Slots() const = 0;
  // Waiting jobs in the order in which they will start, each with its reason.
  virtual std::vector<QueueView> Queue() const = 0;
  // Metric endpoints of the workers that run now.
  virtual std::vector<ScrapeTarget> ScrapeTargets() const = 0;

  // OK, or FAILED_PRECONDITION, reason INFEASIBLE: the machine could not run it even when idle ("needs 9 slots, the machine has 4; …").
  virtual absl::Status CheckFeasible(int slots, const std::string& device) const = 0;

  // Runs the data checks of a specification in a worker outside the slots and calls `done` once, from another thread, with the report
  // or the worker's error. RESOURCE_EXHAUSTED at once when too many run already.
  using ValidateDone = std::function<void(absl::StatusOr<std::string>)>;
  virtual void ValidateData(std::string spec_bytes, std::string spec_sha256, std::vector<std::string> user_set_paths,
                            ValidateDone done) = 0;

  // No new attempts start; running ones go on.
  virtual void StopPlacing() = 0;
};

}  // namespace traind::server::supervisor
