// Smoothed figures for progress lines and the metric history. Values, no tensors; thread-compatible.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace traind::worker::train {

// Steps per second, smoothed over about ten seconds.
class RunningRate {
 public:
  // Counts `total` steps at time `now` of the steady clock, both never falling, and returns the rate; 0 until time has passed.
  double Update(absl::Duration now, int64_t total);

 private:
  std::optional<absl::Duration> last_time_;
  int64_t last_total_ = 0;
  std::optional<double> rate_;
};

// Exponentially weighted mean whose start is not pulled towards 0.
class RunningMean {
 public:
  // `decay` in [0, 1): weight that the past keeps at each value.
  explicit RunningMean(double decay) : decay_(decay) {}
  void Add(double value);
  // None before the first value.
  std::optional<double> value() const;

 private:
  const double decay_;
  double sum_ = 0;
  double weight_ = 0;
};

}  // namespace traind::worker::train
