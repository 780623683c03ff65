// One algorithm's training of one fold. The task iterates over folds and knows no algorithm; a trainer knows no files, no gRPC and no other
// fold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "worker/envs/environment.h"
#include "worker/train/named_tensor.h"

namespace traind::worker::train {

// Everything by which a run could go on from where it is.
struct TrainerState {
  NamedTensors model;
  NamedTensors optimizer;
  std::map<std::string, uint64_t> stream_positions;  // random streams by name
  std::map<std::string, int64_t> counters;           // "step", "updates", …
};

// What a trainer asks of the run around it. Called between steps, on the trainer's thread.
class TrainCallbacks {
 public:
  virtual ~TrainCallbacks() = default;
  // Asked every step: the trainer returns CANCELLED soon after it has become true.
  virtual bool StopRequested() = 0;
  // Cheap; may be called every step.
  virtual void OnStep(int64_t step, std::optional<double> loss) = 0;
  virtual void OnMetrics(int64_t step, const std::map<std::string, double>& values) = 0;
  virtual bool CheckpointDue() = 0;
  virtual absl::Status SaveCheckpoint(int64_t step, const TrainerState& state) = 0;
};

// A decision rule without exploration.
class Policy {
 public:
  virtual ~Policy() = default;
  // The best allowed action. Not thread-safe: it uses buffers of its own.
  virtual int Act(const envs::EnvState& state) = 0;
};

// Made anew for each fold: fresh weights, optimiser and replay. Thread-compatible.
class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual int64_t total_steps() const = 0;
  // Trains to the end. CANCELLED after StopRequested; cause DATA for what the environment gives that is no number; cause NON_FINITE.
  virtual absl::Status TrainFold(TrainCallbacks& callbacks) = 0;
  // Of the weights as they are now; lives no longer than the trainer.
  virtual Policy& policy() = 0;
  virtual TrainerState State() const = 0;
  virtual std::string WeightsHash() const = 0;
};

}  // namespace traind::worker::train
