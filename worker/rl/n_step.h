// Multi-step returns: R_m = Σ_{k<m} γ^k r_{t+k}, bootstrapped with γ^m from the state after the window, m = min(n, steps to the first end).
// At a truncation that state is the last one before the reset; a terminated window bootstraps from nothing.
#pragma once

#include <cstdint>

namespace traind::worker::rl {

// One window, filled step by step.
class NStepWindow {
 public:
  NStepWindow(int64_t n, double gamma) : n_(n), gamma_(gamma) {}

  // The reward of the next step and how that step ended. Not called on a full window.
  void Add(double reward, bool terminated, bool truncated) {
    value_ += factor_ * reward;
    factor_ *= gamma_;
    ++steps_;
    terminated_ = terminated;
    ended_ = terminated || truncated;
  }
  bool full() const { return ended_ || steps_ == n_; }

  double value() const { return value_; }
  // γ^m, 0 where the window terminated.
  double discount() const { return terminated_ ? 0 : factor_; }
  bool terminated() const { return terminated_; }
  int64_t steps() const { return steps_; }

 private:
  const int64_t n_;
  const double gamma_;
  double value_ = 0;
  double factor_ = 1;
  int64_t steps_ = 0;
  bool terminated_ = false;
  bool ended_ = false;
};

}  // namespace traind::worker::rl
