#include "common/base/failure.h"

#include <string>

#include "absl/strings/cord.h"

namespace traind {
namespace {

struct CauseRow {
  FailureCause cause;
  absl::string_view name;
  int exit_code;
};

constexpr CauseRow kCauses[] = {
    {FailureCause::kNone, "NONE", 0},
    {FailureCause::kUserError, "USER_ERROR", 64},
    {FailureCause::kConfig, "CONFIG", 78},
    {FailureCause::kData, "DATA", 65},
    {FailureCause::kCrashed, "CRASHED", 70},
    {FailureCause::kOomHost, "OOM_HOST", 71},
    {FailureCause::kOomDevice, "OOM_DEVICE", 72},
    {FailureCause::kPeer, "PEER", 75},
    {FailureCause::kNodeLost, "NODE_LOST", 73},
    {FailureCause::kPreempted, "PREEMPTED", 74},
    {FailureCause::kCoordinator, "COORDINATOR", 77},
    {FailureCause::kTimeout, "TIMEOUT", 79},
    {FailureCause::kNonFinite, "NON_FINITE", 76},
};

constexpr absl::string_view kCauseUrl = "traind/cause";

}  // namespace

absl::string_view FailureCauseName(FailureCause cause) {
  for (const CauseRow& row : kCauses) {
    if (row.cause == cause) return row.name;
  }
  return "NONE";
}

std::optional<FailureCause> FailureCauseFromName(absl::string_view name) {
  for (const CauseRow& row : kCauses) {
    if (row.name == name) return row.cause;
  }
  return std::nullopt;
}

absl::Status WithCause(absl::Status status, FailureCause cause) {
  if (!status.ok()) status.SetPayload(kCauseUrl, absl::Cord(FailureCauseName(cause)));
  return status;
}

FailureCause CauseOf(const absl::Status& status) {
  if (status.ok()) return FailureCause::kNone;
  if (const auto payload = status.GetPayload(kCauseUrl)) {
    if (const auto cause = FailureCauseFromName(std::string(*payload))) return *cause;
  }
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return FailureCause::kConfig;
    case absl::StatusCode::kResourceExhausted:
      return FailureCause::kOomHost;
    default:
      return FailureCause::kCrashed;
  }
}

int ExitCodeOf(FailureCause cause) {
  for (const CauseRow& row : kCauses) {
    if (row.cause == cause) return row.exit_code;
  }
  return 70;
}

FailureCause CauseOfExit(int exit_code, int signal) {
  if (signal != 0) return FailureCause::kCrashed;
  for (const CauseRow& row : kCauses) {
    if (row.exit_code == exit_code) return row.cause;
  }
  return FailureCause::kCrashed;
}

}  // namespace traind
