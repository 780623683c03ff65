// Who a process is, so that a pid that was given to somebody else is not mistaken for ours.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace traind::os {

// Of the running kernel; another after each boot.
absl::StatusOr<std::string> BootId();

struct ProcessIdentity {
  std::string boot_id;
  int pid = 0;
  uint64_t start_time_ticks = 0;  // since boot, field 22 of /proc/<pid>/stat
  bool operator==(const ProcessIdentity&) const = default;
};

// NOT_FOUND when there is no such process. A zombie still has an identity.
absl::StatusOr<ProcessIdentity> ReadIdentity(int pid);

// True while exactly this process exists and has not ended; a zombie has ended.
bool IsAlive(const ProcessIdentity& identity);

}  // namespace traind::os
