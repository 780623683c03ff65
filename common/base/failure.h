// Why an attempt ended, and the exit codes by which a worker says so. Shared by worker, shim and coordinator.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace traind {

enum class FailureCause {
  kNone,
  kUserError,  // the job asks for what cannot be done
  kConfig,     // the specification is wrong in a way only the worker could see
  kData,       // the input data are wrong
  kCrashed,    // a signal, or a bug of ours
  kOomHost,
  kOomDevice,
  kPeer,  // another rank or a collective failed
  kNodeLost,
  kPreempted,
  kCoordinator,  // the coordinator was away too long
  kTimeout,
  kNonFinite,  // NaN or infinity in loss or gradients, several updates in a row
};

// "DATA", "OOM_HOST", …: the names of the API.
absl::string_view FailureCauseName(FailureCause cause);
std::optional<FailureCause> FailureCauseFromName(absl::string_view name);

// A status that carries its cause from the place that knows it to the process's exit code. The message stays as it is.
absl::Status WithCause(absl::Status status, FailureCause cause);
// kNone for OK; the attached cause; else by code (INVALID_ARGUMENT: CONFIG, RESOURCE_EXHAUSTED: OOM_HOST, rest: CRASHED).
FailureCause CauseOf(const absl::Status& status);

// Exit codes of traind-worker (docs/reference/errors.md).
int ExitCodeOf(FailureCause cause);
// The cause of a rank that ended with `exit_code`, or by signal when `signal` != 0.
FailureCause CauseOfExit(int exit_code, int signal);

}  // namespace traind
