// Starts the processes of a gang and follows them from outside: the seam between the supervisor and a machine.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "server/domain/job.h"

namespace traind::server::launcher {

// One rank of a gang: who it is, where it works, what it may use.
struct RankLaunch {
  JobId job;
  AttemptId attempt;
  int rank = 0;
  Incarnation incarnation;
  std::string slot;         // "cpu0", "gpu1"
  std::string device;       // as the worker names it: "cpu", "cuda:0"
  std::string visible_gpu;  // the one GPU, by index or UUID, that the worker may see; empty: none
  std::string job_folder;
  std::map<std::string, std::string> extra_env;  // beside the launcher's allow-list
};

// How a rank's process ended, as its shim wrote it down.
struct ExitRecord {
  int exit_code = 0;
  int signal = 0;              // != 0: ended by this signal
  bool out_of_memory = false;  // the kernel's OOM killer ended it
  bool operator==(const ExitRecord&) const = default;
};

// Thread-safe. No call waits for a worker.
class Launcher {
 public:
  virtual ~Launcher() = default;

  // Starts every rank, each in a session of its own, or none: when one cannot be started the others are killed and their folders
  // removed. One identity per rank, in order. The error names the step and the system's reason.
  virtual absl::StatusOr<std::vector<domain::ProcessId>> Launch(const std::vector<RankLaunch>& gang) = 0;

  // Signals the shim, which passes it on to its worker; SIGKILL goes to the shim's whole process group. A process that has ended, or a
  // pid that is somebody else's by now, is left alone: OK.
  virtual absl::Status Signal(const domain::ProcessId& process, int signal) = 0;

  // True while exactly this process runs; a zombie has ended.
  virtual bool IsAlive(const domain::ProcessId& process) const = 0;

  // The record of a rank; nothing while there is none. DATA_LOSS when the file is there but not readable as one.
  virtual absl::StatusOr<std::optional<ExitRecord>> ReadExit(const std::string& job_folder, AttemptId attempt, int rank) const = 0;

  // Calls `on_exit`, from another thread, each time a process given to Launch or Watch ends. Set once, before both.
  virtual void SetExitListener(std::function<void()> on_exit) = 0;
  // Includes a process that an earlier life of the daemon started.
  virtual void Watch(const domain::ProcessId& process) = 0;
};

}  // namespace traind::server::launcher
