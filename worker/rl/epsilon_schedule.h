#pragma once

#include <algorithm>
#include <cstdint>

namespace traind::worker::rl {

// Share of random actions: falls linearly from `start` to `end` over the first `fraction` of `steps`, and stays.
class EpsilonSchedule {
 public:
  EpsilonSchedule(double start, double end, double fraction, int64_t steps)
      : start_(start), end_(end), fall_(std::max(1.0, fraction * static_cast<double>(steps))) {}

  double At(int64_t step) const { return start_ + (end_ - start_) * std::min(1.0, static_cast<double>(step) / fall_); }

 private:
  double start_;
  double end_;
  double fall_;
};

}  // namespace traind::worker::rl
