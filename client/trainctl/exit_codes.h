// The exit codes of trainctl (docs/reference/errors.md), and the only place that chooses one.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "traind/v1/job.pb.h"

namespace traind::client::trainctl {

enum ExitCode : int {
  kExitOk = 0,
  kExitInternal = 1,
  kExitUsage = 2,
  kExitSpecRejected = 3,
  kExitNotFound = 4,
  kExitNotAllowed = 5,
  kExitConflict = 6,
  kExitUnreachable = 7,
  kExitNoCapacity = 8,
  kExitJobFailed = 10,
  kExitJobCancelled = 11,
  kExitWaitTimeout = 12,
  kExitStreamLost = 13,
  kExitInterrupted = 130,
};

// The command line, or a file it names, is wrong: INVALID_ARGUMENT with a reason that tells it from a rejected specification.
absl::Status UsageError(absl::string_view message);
// INVALID_ARGUMENT becomes one that says "the specification was rejected", field errors or not. Anything else stays as it is.
absl::Status AsSpecError(absl::Status status);

ExitCode ExitCodeOf(const absl::Status& status);
// Of a job that has ended; kExitOk for one that has not.
ExitCode ExitCodeOf(v1::Job::State state);

}  // namespace traind::client::trainctl
