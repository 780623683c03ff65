// A task context that records, over folders of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/os/files.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/temp_dir.h"
#include "worker/task/task.h"

namespace traind::worker::rl {

class RecordingContext final : public TaskContext {
 public:
  explicit RecordingContext(const Params& params) : params_(params) {}

  const Params& params() const override { return params_; }
  const Clock& clock() const override { return clock_; }
  const std::string& spec_sha256() const override { return spec_sha256_; }
  int rank() const override { return 0; }
  int world_size() const override { return 1; }
  const std::string& device() const override { return device_; }
  absl::StatusOr<os::UniqueFd> OpenData(absl::string_view path) override { return os::OpenBeneath(data_root, std::string(path)); }
  const std::string& artifacts_folder() const override { return artifacts_; }
  const std::string& checkpoints_folder() const override { return checkpoints_; }
  bool stop_requested() const override { return stop_after >= 0 && asked_++ >= stop_after; }
  void ReportProgress(const TaskProgress& report) override { progress.push_back(report); }
  void RecordMetrics(const MetricRow& row) override { rows.push_back(row); }
  void Log(absl::string_view line) override { lines.emplace_back(line); }
  void SetResult(absl::string_view key, absl::string_view value) override { results[std::string(key)] = std::string(value); }
  absl::Status CheckpointWritten(const WrittenCheckpoint& checkpoint) override {
    written.push_back(checkpoint);
    return absl::OkStatus();
  }

  std::string data_root = TRAIND_SOURCE_DIR;
  int64_t stop_after = -1;  // times that a stop was asked about
  std::vector<TaskProgress> progress;
  std::vector<MetricRow> rows;
  std::vector<std::string> lines;
  std::map<std::string, std::string> results;
  std::vector<WrittenCheckpoint> written;
  testing::TempDir folder;

 private:
  const Params& params_;
  testing::FakeClock clock_;
  const std::string spec_sha256_ = "spec";
  const std::string device_ = "cpu";
  const std::string artifacts_ = folder.path().string();
  const std::string checkpoints_ = (folder / "checkpoints").string();
  mutable int64_t asked_ = 0;
};

}  // namespace traind::worker::rl
