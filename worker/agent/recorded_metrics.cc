#include "worker/agent/recorded_metrics.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/os/files.h"

namespace traind::worker::agent {

RecordedMetrics::RecordedMetrics(RecordedMetricsOptions options, obs::Metrics& metrics, const Clock& clock)
    : options_(std::move(options)),
      metrics_(metrics),
      clock_(clock),
      labels_{{"job_id", options_.job_id}, {"rank", absl::StrCat(options_.rank)}},
      steps_(metrics.AddCounter("traind_train_steps_total", "Steps done by this process.", labels_)),
      rate_(metrics.AddGauge("traind_train_steps_per_second", "Steps per second over the last seconds.", labels_)),
      ratio_(metrics.AddGauge("traind_train_progress_ratio", "Share of the job's steps done.", labels_)),
      loss_(metrics.AddGauge("traind_train_loss", "Training loss, smoothed.", labels_)) {}

void RecordedMetrics::Progress(const TaskProgress& progress) {
  MutexLock lock(mutex_);
  if (progress.step > last_step_) steps_.Increment(static_cast<double>(progress.step - last_step_));
  last_step_ = progress.step;
  rate_.Set(progress.steps_per_second);
  if (progress.total_steps > 0) ratio_.Set(static_cast<double>(progress.step) / static_cast<double>(progress.total_steps));
  if (progress.loss.has_value()) loss_.Set(*progress.loss);
}

void RecordedMetrics::Row(const MetricRow& row) {
  MutexLock lock(mutex_);
  for (const auto& [name, value] : row.values) {
    prometheus::Gauge*& gauge = values_[name];
    if (gauge == nullptr) {
      obs::Labels labels = labels_;
      labels["name"] = name;
      gauge = &metrics_.AddGauge("traind_train_value", "The newest value of each column of the metric history.", labels);
    }
    gauge->Set(value);
  }
  WriteHistoryLocked(row);
}

void RecordedMetrics::WriteHistoryLocked(const MetricRow& row) {
  if (!history_.has_value()) {
    // A history that cannot be written must not end a training run: the next row tries again.
    if (!os::MakeFolders(std::filesystem::path(options_.history_path).parent_path().string()).ok()) return;
    absl::StatusOr<obs::MetricHistoryWriter> writer = obs::MetricHistoryWriter::Open(options_.history_path);
    if (!writer.ok()) return;
    history_.emplace(*std::move(writer));
  }
  history_->Append({row.step, row.fold, clock_.Now(), row.values}).IgnoreError();
}

void RecordedMetrics::CheckpointWritten(const WrittenCheckpoint& checkpoint) {
  metrics_.AddGauge("traind_checkpoint_last_success_timestamp_seconds", "When the last checkpoint was complete on disk.", labels_)
      .Set(absl::ToDoubleSeconds(clock_.Now() - absl::UnixEpoch()));
  metrics_.AddGauge("traind_checkpoint_last_size_bytes", "Size of the last checkpoint.", labels_)
      .Set(static_cast<double>(checkpoint.size_bytes));
}

}  // namespace traind::worker::agent
