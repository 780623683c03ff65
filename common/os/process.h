// Starting processes and following them by descriptor. The only way to start one in this project.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/os/identity.h"
#include "common/os/unique_fd.h"

namespace traind::os {

struct SpawnOptions {
  std::vector<std::string> command;      // absolute path of the program, then its arguments
  std::vector<std::string> environment;  // "NAME=value"; the child gets these and nothing else
  std::string folder;                    // working folder; empty: ours
  // The child's standard descriptors, borrowed; -1: /dev/null. Every other descriptor is closed in the child.
  int standard_input = -1;
  int standard_output = -1;
  int standard_error = -1;
  // Leads a new POSIX session, so that a signal to our terminal or group does not reach it.
  bool new_session = true;
  // Gets SIGKILL when the spawning thread ends. For a single-threaded parent only: it is the thread that counts.
  bool die_with_parent = false;
  // Does not inherit the protection from the kernel's killer that a service manager gave us.
  bool drop_oom_protection = false;
};

// A descriptor of one process; stays valid, and stays about that process, after it has ended.
class Pidfd {
 public:
  Pidfd() = default;
  Pidfd(int pid, UniqueFd fd) : pid_(pid), fd_(std::move(fd)) {}

  // NOT_FOUND when it has ended and was reaped, or the pid is somebody else's by now.
  static absl::StatusOr<Pidfd> Open(const ProcessIdentity& identity);

  int pid() const { return pid_; }
  int fd() const { return fd_.get(); }
  bool valid() const { return fd_.valid(); }
  // OK also when the process has ended.
  absl::Status Signal(int signal) const;
  // True when it has ended; waits for at most `timeout`.
  bool AwaitExit(absl::Duration timeout) const;

 private:
  int pid_ = 0;
  UniqueFd fd_;
};

// Starts a program. The signal mask is empty, all handlers are the defaults. An error names the step that failed: the child that could
// not become the program does not exist any more.
absl::StatusOr<Pidfd> Spawn(const SpawnOptions& options);

// Signals the process group that `leader` leads, if exactly that process still runs; OK when it has ended.
absl::Status SignalGroup(const ProcessIdentity& leader, int signal);

struct ExitStatus {
  int code = 0;
  int signal = 0;  // != 0: ended by it
  double user_seconds = 0;
  double system_seconds = 0;
  int64_t max_rss_kilobytes = 0;
};

// Waits for a child of ours and reaps it. FAILED_PRECONDITION when it is not our child or was reaped already.
absl::StatusOr<ExitStatus> Reap(const Pidfd& child);

}  // namespace traind::os
