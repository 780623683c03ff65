// A clock that moves only when told to. Thread-safe.
#pragma once

#include "common/base/clock.h"
#include "common/base/mutex.h"

namespace traind::testing {

class FakeClock final : public Clock {
 public:
  absl::Time Now() const override {
    MutexLock lock(mutex_);
    return now_;
  }
  absl::Duration Steady() const override {
    MutexLock lock(mutex_);
    return steady_;
  }

  // Moves both clocks on.
  void Advance(absl::Duration by) {
    MutexLock lock(mutex_);
    now_ += by;
    steady_ += by;
  }
  // Moves only the wall clock, as an operator would.
  void JumpWall(absl::Duration by) {
    MutexLock lock(mutex_);
    now_ += by;
  }

 private:
  mutable Mutex mutex_;
  absl::Time now_ ABSL_GUARDED_BY(mutex_) = absl::FromUnixSeconds(1'700'000'000);
  absl::Duration steady_ ABSL_GUARDED_BY(mutex_) = absl::Seconds(1000);
};

}  // namespace traind::testing
