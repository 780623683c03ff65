// What the session stream of a worker and the supervisor say to each other, free of gRPC.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/failure.h"
#include "common/base/ids.h"
#include "server/domain/job.h"

namespace traind::server::supervisor {

// Who speaks. A pair (attempt, incarnation) that is not the current one is fenced: every call below answers ABORTED.
struct WorkerKey {
  JobId job;
  AttemptId attempt;
  int rank = 0;
  Incarnation incarnation;
};

struct WorkerHello {
  domain::ProcessId process;
  std::string version;
  std::string metrics_address;  // host:port
};

// What the worker is to do.
struct WorkerAssignment {
  std::string spec_bytes;
  std::string spec_sha256;
  std::vector<std::string> user_set_paths;
  std::map<std::string, std::string> data_roots;
  std::string job_folder;
  int world_size = 1;
  std::string device = "cpu";
  bool validate_data_only = false;
};

// Progress as the supervisor keeps it in memory.
struct Progress {
  int64_t step = 0;
  int64_t total_steps = 0;
  int fold = 0;
  int total_folds = 0;
  double steps_per_second = 0;
  std::optional<double> loss;
  std::optional<absl::Duration> eta;
  std::string phase;
};

// The way back to one worker. Implemented by the session stream; thread-safe, never blocks, safe after the stream has ended.
class WorkerLink {
 public:
  enum class StopKind { kCancel, kSuspend };
  virtual ~WorkerLink() = default;
  virtual void Stop(StopKind kind, const std::string& reason) = 0;
  virtual void CheckpointCommitted(int64_t step) = 0;
  virtual void TerminalAck() = 0;
  // Ends the stream with `status`.
  virtual void Close(const absl::Status& status) = 0;
};

// The supervisor's side. Thread-safe.
class WorkerSessions {
 public:
  virtual ~WorkerSessions() = default;
  // First message of a session; a worker that comes back after our restart registers again with the same key and goes on.
  virtual absl::StatusOr<WorkerAssignment> Register(const WorkerKey& key, const WorkerHello& hello, std::shared_ptr<WorkerLink> link) = 0;
  virtual absl::Status Heartbeat(const WorkerKey& key) = 0;
  virtual absl::Status ReportProgress(const WorkerKey& key, const Progress& progress) = 0;
  // Commits the row, then answers through the link.
  virtual absl::Status CheckpointPrepared(const WorkerKey& key, const domain::Checkpoint& checkpoint) = 0;
  virtual absl::Status Terminal(const WorkerKey& key, FailureCause cause, const std::string& error,
                                const std::map<std::string, std::string>& result) = 0;
  virtual absl::Status DataReport(const WorkerKey& key, const std::string& report_json) = 0;
  // The stream ended; the worker may come back until its lease ends.
  virtual void Disconnected(const WorkerKey& key, const std::shared_ptr<WorkerLink>& link) = 0;
};

}  // namespace traind::server::supervisor
