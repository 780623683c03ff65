// SIGTERM and SIGINT as something a thread can wait for.
#pragma once

#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/os/unique_fd.h"

namespace traind::os {

// Thread-safe. Make it in main before any thread starts: threads inherit the blocked mask.
class TerminationSignals {
 public:
  static absl::StatusOr<TerminationSignals> Block();
  // The signal, or 0 when none came within `timeout`.
  int Await(absl::Duration timeout) const;
  int fd() const { return fd_.get(); }

 private:
  explicit TerminationSignals(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace traind::os
