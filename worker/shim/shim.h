// Keeps one worker: owns its output, passes signals on, and writes down how it ended. Outlives the coordinator; ends with the worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/base/clock.h"

namespace traind::worker::shim {

struct ShimOptions {
  std::string exit_record;  // path of exit.json
  std::string log_folder;
  int64_t max_log_bytes = 64 << 20;
  uint64_t incarnation = 0;
  std::vector<std::string> command;      // the worker's program and arguments
  std::vector<std::string> environment;  // "NAME=value"
};

// Runs the worker to its end. Call it from a process with one thread: the worker is tied to the thread that starts it, and the process
// becomes the reaper of everything the worker leaves behind. Returns after exit.json is on disk; a worker that could not be started is
// recorded as exit code 70 with the reason in its log.
absl::Status RunShim(const ShimOptions& options, const Clock& clock);

}  // namespace traind::worker::shim
