// How a rank ended, as its shim writes it down for a coordinator that may be away: exit.json.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/os/process.h"

namespace traind::worker::shim {

struct ExitRecord {
  os::ExitStatus status;
  bool out_of_memory = false;  // the kernel killed it for memory
  os::ProcessIdentity worker;  // pid 0: it could not be started
  uint64_t incarnation = 0;
  absl::Time start_time;
  absl::Time end_time;
};

// Replaces `path` durably; whoever reads it sees a whole record or none.
absl::Status WriteExitRecord(const std::string& path, const ExitRecord& record);

}  // namespace traind::worker::shim
