#include "client/trainctl/exit_codes.h"

#include <optional>
#include <string>

#include "client/lib/errors.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

constexpr char kUsage[] = "USAGE";
constexpr char kSpecInvalid[] = "SPEC_INVALID";
constexpr char kDataInvalid[] = "DATA_INVALID";

ExitCode OfInvalidArgument(const absl::Status& status, absl::string_view reason) {
  if (reason == kUsage) return kExitUsage;
  return reason == kSpecInvalid || reason == kDataInvalid || !FieldErrorsOf(status).empty() ? kExitSpecRejected : kExitUsage;
}

}  // namespace

absl::Status UsageError(absl::string_view message) { return WithReason(absl::InvalidArgumentError(message), kUsage); }

absl::Status AsSpecError(absl::Status status) {
  if (!absl::IsInvalidArgument(status) || ReasonOf(status).has_value()) return status;
  return WithReason(std::move(status), kSpecInvalid);
}

ExitCode ExitCodeOf(const absl::Status& status) {
  const std::string reason = ReasonOf(status).value_or("");
  if (reason == kInterrupted) return kExitInterrupted;
  if (reason == kWaitTimeout) return kExitWaitTimeout;
  if (reason == kStreamLost) return kExitStreamLost;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
      return OfInvalidArgument(status, reason);
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return kExitNotAllowed;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kOutOfRange:
      return kExitConflict;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kExitUnreachable;
    case absl::StatusCode::kResourceExhausted:
      return kExitNoCapacity;
    default:
      return kExitInternal;
  }
}

ExitCode ExitCodeOf(v1::Job::State state) {
  switch (state) {
    case v1::Job::FAILED:
      return kExitJobFailed;
    case v1::Job::CANCELLED:
      return kExitJobCancelled;
    default:
      return kExitOk;
  }
}

}  // namespace traind::client::trainctl
