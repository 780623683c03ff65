// Time as a dependency. Intervals are measured on the steady clock, which no one can set; wall time is for display only.
#pragma once

#include "absl/time/time.h"

namespace traind {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Wall time, for display and records.
  virtual absl::Time Now() const = 0;

  // Time since an arbitrary fixed start; never goes back. Leases, deadlines and rates use this one.
  virtual absl::Duration Steady() const = 0;
};

// The system's clocks. Stateless, so one instance serves a whole process.
class SystemClock final : public Clock {
 public:
  absl::Time Now() const override;
  absl::Duration Steady() const override;
};

}  // namespace traind
