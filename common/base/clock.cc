#include "common/base/clock.h"

#include <ctime>

#include "absl/time/clock.h"

namespace traind {

absl::Time SystemClock::Now() const { return absl::Now(); }

absl::Duration SystemClock::Steady() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::DurationFromTimespec(now);
}

}  // namespace traind
