// Where the numbers of a run go: the metric history on disk, and the gauges that Prometheus reads from this process.
#pragma once

#include "worker/task/task.h"

namespace traind::worker::agent {

// Thread-safe; never blocks for long and never fails the run.
class RunMetrics {
 public:
  virtual ~RunMetrics() = default;
  virtual void Progress(const TaskProgress& progress) = 0;
  virtual void Row(const MetricRow& row) = 0;
  virtual void CheckpointWritten(const WrittenCheckpoint& checkpoint) = 0;
};

}  // namespace traind::worker::agent
