// One fold's trainer seen from the job: its steps become the job's progress, metrics and checkpoints.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "worker/task/task.h"
#include "worker/train/running.h"
#include "worker/train/trainer.h"

namespace traind::worker::rl {

struct FoldPlace {
  int index = 0;  // from 0
  int count = 1;
  int64_t steps_before = 0;  // of the folds before it
  int64_t total_steps = 0;   // of all folds
  std::string name;
};

struct CheckpointPlan {
  absl::Duration every = absl::Seconds(60);
  int keep_last = 3;
  // Recorded in each: fingerprints, normalisers.
  std::map<std::string, std::string> facts;
};

// Thread-compatible. `context` and `rate` outlive it.
class FoldRun final : public train::TrainCallbacks {
 public:
  FoldRun(TaskContext& context, FoldPlace place, CheckpointPlan checkpoints, train::RunningRate& rate);

  bool StopRequested() override { return context_.stop_requested(); }
  void OnStep(int64_t step, std::optional<double> loss) override;
  void OnMetrics(int64_t step, const std::map<std::string, double>& values) override;
  bool CheckpointDue() override;
  absl::Status SaveCheckpoint(int64_t step, const train::TrainerState& state) override;

  void ReportPhase(const std::string& phase);
  // As SaveCheckpoint, but nothing comes after it that could be tried instead: its failure is the fold's.
  absl::Status SaveFinalCheckpoint(int64_t step, const train::TrainerState& state);

 private:
  absl::Status Write(int64_t global_step, const train::TrainerState& state);

  TaskContext& context_;
  const FoldPlace place_;
  const CheckpointPlan checkpoints_;
  train::RunningRate& rate_;
  absl::Duration last_report_;
  absl::Duration last_checkpoint_;
  TaskProgress progress_;
};

}  // namespace traind::worker::rl
