// RunMetrics on disk and for Prometheus.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/obs/metric_history.h"
#include "common/obs/metrics.h"
#include "worker/agent/run_metrics.h"

namespace traind::worker::agent {

struct RecordedMetricsOptions {
  std::string history_path;  // made with the first row
  std::string job_id;
  int rank = 0;
};

class RecordedMetrics final : public RunMetrics {
 public:
  // `metrics` and `clock` outlive it.
  RecordedMetrics(RecordedMetricsOptions options, obs::Metrics& metrics, const Clock& clock);

  void Progress(const TaskProgress& progress) override;
  void Row(const MetricRow& row) override;
  void CheckpointWritten(const WrittenCheckpoint& checkpoint) override;

 private:
  void WriteHistoryLocked(const MetricRow& row) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const RecordedMetricsOptions options_;
  obs::Metrics& metrics_;
  const Clock& clock_;
  const obs::Labels labels_;
  prometheus::Counter& steps_;
  prometheus::Gauge& rate_;
  prometheus::Gauge& ratio_;
  prometheus::Gauge& loss_;
  Mutex mutex_;
  int64_t last_step_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, prometheus::Gauge*> values_ ABSL_GUARDED_BY(mutex_);
  std::optional<obs::MetricHistoryWriter> history_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::worker::agent
