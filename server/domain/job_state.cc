#include "server/domain/job_state.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/str_cat.h"

namespace traind::server::domain {
namespace {

struct StateRow {
  JobState state;
  absl::string_view name;
  std::vector<JobState> next;
};

// The drawing in the header, as data.
const std::array<StateRow, 9>& Table() {
  using enum JobState;
  static const auto* const table = new std::array<StateRow, 9>{{
      {kPending, "PENDING", {kStarting, kFailed, kCancelled}},
      {kStarting, "STARTING", {kRunning, kPending, kSuspending, kCancelling, kSucceeded, kFailed}},
      {kRunning, "RUNNING", {kPending, kSuspending, kCancelling, kSucceeded, kFailed}},
      {kSuspending, "SUSPENDING", {kSuspended, kCancelling, kSucceeded, kFailed}},
      {kSuspended, "SUSPENDED", {kPending, kCancelled}},
      {kCancelling, "CANCELLING", {kCancelled, kSucceeded}},
      {kSucceeded, "SUCCEEDED", {}},
      {kFailed, "FAILED", {}},
      {kCancelled, "CANCELLED", {}},
  }};
  return *table;
}

const StateRow& RowOf(JobState state) { return Table()[static_cast<size_t>(state)]; }

}  // namespace

absl::string_view JobStateName(JobState state) { return RowOf(state).name; }

absl::Status JobStateFromName(absl::string_view name, JobState& state) {
  for (const StateRow& row : Table()) {
    if (row.name == name) {
      state = row.state;
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("'", name, "' is not a job state; known are PENDING, STARTING, RUNNING, SUSPENDING, ",
                                                 "SUSPENDED, CANCELLING, SUCCEEDED, FAILED and CANCELLED"));
}

bool IsTerminal(JobState state) { return RowOf(state).next.empty(); }

bool IsActive(JobState state) {
  using enum JobState;
  return state == kStarting || state == kRunning || state == kSuspending || state == kCancelling;
}

absl::Status CheckTransition(JobState from, JobState to) {
  const std::vector<JobState>& next = RowOf(from).next;
  if (std::find(next.begin(), next.end(), to) != next.end()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("a job that is ", JobStateName(from), " cannot become ", JobStateName(to),
                                                    IsTerminal(from) ? "; it has ended, and ended jobs never change" : ""));
}

}  // namespace traind::server::domain
