// Keeps an orderly end from taking for ever.
#pragma once

#include <atomic>
#include <thread>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/os/termination.h"

namespace traind::server::app {

// From construction to destruction: a further signal, or the end of `limit`, ends the process at once with exit code 1. Committed state is
// on disk at any time, and workers run on, so that nothing is lost but the orderly goodbye to clients.
class StopWatch {
 public:
  // Both are borrowed.
  StopWatch(const os::TerminationSignals& signals, const Clock& clock, absl::Duration limit);
  ~StopWatch();

 private:
  void Run();

  const os::TerminationSignals& signals_;
  const Clock& clock_;
  const absl::Duration end_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace traind::server::app
