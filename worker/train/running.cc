#include "worker/train/running.h"

#include <cmath>

namespace traind::worker::train {
namespace {
constexpr absl::Duration kRateWindow = absl::Seconds(10);
}  // namespace

double RunningRate::Update(absl::Duration now, int64_t total) {
  if (last_time_.has_value() && now > *last_time_) {
    const absl::Duration elapsed = now - *last_time_;
    const double rate = static_cast<double>(total - last_total_) / absl::ToDoubleSeconds(elapsed);
    const double keep = rate_.has_value() ? std::exp(-absl::FDivDuration(elapsed, kRateWindow)) : 0.0;
    rate_ = keep * rate_.value_or(0.0) + (1.0 - keep) * rate;
  }
  last_time_ = now;
  last_total_ = total;
  return rate_.value_or(0.0);
}

void RunningMean::Add(double value) {
  sum_ = decay_ * sum_ + (1.0 - decay_) * value;
  weight_ = decay_ * weight_ + (1.0 - decay_);
}

std::optional<double> RunningMean::value() const {
  if (weight_ == 0) return std::nullopt;
  return sum_ / weight_;
}

}  // namespace traind::worker::train
