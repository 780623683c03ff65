// Where the atoms of a categorical head go when the job does not say: from the rewards of the warm-up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "worker/rl/dqn_options.h"

namespace traind::worker::rl {

// Symmetric, wide enough for 1.25 times what the mean size of a reward adds up to, E|r| / (1 - γ), and for four standard deviations of a
// return of unit noise, 4 / √(1 - γ²).
class SupportEstimate {
 public:
  explicit SupportEstimate(double gamma) : gamma_(gamma) {}
  void Add(double reward) {
    sum_ += std::abs(reward);
    ++count_;
  }
  ValueSupport value() const {
    const double mean = count_ > 0 ? sum_ / static_cast<double>(count_) : 0;
    const double edge = std::max(1.25 * mean / (1 - gamma_), 4 / std::sqrt(1 - gamma_ * gamma_));
    return {.v_min = -edge, .v_max = edge};
  }

 private:
  const double gamma_;
  double sum_ = 0;
  int64_t count_ = 0;
};

}  // namespace traind::worker::rl
