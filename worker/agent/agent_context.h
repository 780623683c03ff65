// What a task sees of its worker process: parameters, data files, folders, and the ways to report.
#pragma once

#include <atomic>
#include <map>
#include <string>

#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/base/params.h"
#include "worker/agent/run_metrics.h"
#include "worker/agent/session.h"
#include "worker/task/task.h"

namespace traind::worker::agent {

struct RunFacts {
  std::string spec_sha256;
  std::map<std::string, std::string> data_roots;  // name → folder
  std::string job_folder;
  int rank = 0;
  int world_size = 1;
  std::string device;
};

// Thread-safe. Outlives the task; the references outlive it.
class AgentContext final : public TaskContext {
 public:
  AgentContext(const Params& params, RunFacts facts, Session& session, RunMetrics& metrics, const Clock& clock);

  const Params& params() const override { return params_; }
  const Clock& clock() const override { return clock_; }
  const std::string& spec_sha256() const override { return facts_.spec_sha256; }
  int rank() const override { return facts_.rank; }
  int world_size() const override { return facts_.world_size; }
  const std::string& device() const override { return facts_.device; }
  absl::StatusOr<os::UniqueFd> OpenData(absl::string_view root_path) override;
  const std::string& artifacts_folder() const override { return artifacts_folder_; }
  const std::string& checkpoints_folder() const override { return checkpoints_folder_; }
  bool stop_requested() const override { return stop_requested_.load(std::memory_order_relaxed); }
  void ReportProgress(const TaskProgress& progress) override;
  void RecordMetrics(const MetricRow& row) override;
  void Log(absl::string_view line) override;
  void SetResult(absl::string_view key, absl::string_view value) override;
  absl::Status CheckpointWritten(const WrittenCheckpoint& checkpoint) override;

  void RequestStop() { stop_requested_.store(true, std::memory_order_relaxed); }
  std::map<std::string, std::string> results() const;

 private:
  const Params& params_;
  const RunFacts facts_;
  const std::string artifacts_folder_;
  const std::string checkpoints_folder_;
  Session& session_;
  RunMetrics& metrics_;
  const Clock& clock_;
  std::atomic<bool> stop_requested_ = false;
  mutable Mutex mutex_;
  std::map<std::string, std::string> results_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::worker::agent
