// What a worker process runs, and what it may ask of the process around it. The seam between the torch-free agent and the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/clock.h"
#include "common/base/params.h"
#include "common/os/unique_fd.h"

namespace traind::worker {

struct TaskProgress {
  std::string phase;  // "reading data", "training", "evaluating", "writing report"
  int64_t step = 0;   // over all folds
  int64_t total_steps = 0;
  int fold = 0;  // from 1 while in a fold, else 0
  int total_folds = 0;
  double steps_per_second = 0;
  std::optional<double> loss;
};

// One row of the metric history.
struct MetricRow {
  int64_t step = 0;
  int fold = 0;
  std::map<std::string, double> values;
};

struct WrittenCheckpoint {
  int64_t step = 0;
  std::string folder;  // its name below checkpoints_folder()
  uint64_t size_bytes = 0;
  std::string manifest_sha256;
  std::map<std::string, double> metrics;
};

// Thread-safe. Outlives the task.
class TaskContext {
 public:
  virtual ~TaskContext() = default;

  virtual const Params& params() const = 0;
  virtual const Clock& clock() const = 0;
  // SHA-256 of the normalised specification, hex.
  virtual const std::string& spec_sha256() const = 0;
  virtual int rank() const = 0;
  virtual int world_size() const = 0;
  // "cpu" or "cuda:0".
  virtual const std::string& device() const = 0;

  // Opens a data file named root:path for reading. Errors carry cause DATA and name the file.
  virtual absl::StatusOr<os::UniqueFd> OpenData(absl::string_view root_path) = 0;
  // Existing folders that belong to the job.
  virtual const std::string& artifacts_folder() const = 0;
  virtual const std::string& checkpoints_folder() const = 0;

  // The job was cancelled or must pause: the task returns CANCELLED within a step or two. Cheap enough to ask every step.
  virtual bool stop_requested() const = 0;

  // Telemetry: never blocks, coalesced where it comes too fast.
  virtual void ReportProgress(const TaskProgress& progress) = 0;
  // Appends to the metric history and sets the gauges that Prometheus reads.
  virtual void RecordMetrics(const MetricRow& row) = 0;
  // One line of the job's log.
  virtual void Log(absl::string_view line) = 0;
  // A fact of the run that `trainctl describe` shows: "weights_sha256", "verdict", ….
  virtual void SetResult(absl::string_view key, absl::string_view value) = 0;
  // Announces a checkpoint that is complete on disk.
  virtual absl::Status CheckpointWritten(const WrittenCheckpoint& checkpoint) = 0;
};

// One job's work in one process. Used from one thread.
class Task {
 public:
  virtual ~Task() = default;

  // Runs to the end. CANCELLED after stop_requested(); every other error carries its FailureCause (common/base/failure.h).
  virtual absl::Status Run(TaskContext& context) = 0;

  // Reads and checks the data as Run would, without training; returns the ingest report as JSON. Errors as Run's.
  virtual absl::StatusOr<std::string> ValidateData(TaskContext& context) = 0;
};

// Makes a task from its parameters. INVALID_ARGUMENT with field errors for what only the worker can see.
using TaskFactory = std::function<absl::StatusOr<std::unique_ptr<Task>>(const Params&)>;

}  // namespace traind::worker
