#include "server/scheduler/retry.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace traind::server::scheduler {
namespace {

using domain::Attempt;
using domain::AttemptState;
using domain::Job;
using domain::JobState;

enum class Treatment { kNever, kBudget, kFree };

struct Policy {
  Treatment treatment;
  int default_budget;
};

Policy PolicyOf(FailureCause cause) {
  switch (cause) {
    case FailureCause::kCrashed:
      return {Treatment::kBudget, 3};
    case FailureCause::kPeer:
      return {Treatment::kBudget, 5};
    case FailureCause::kOomHost:
    case FailureCause::kOomDevice:
    case FailureCause::kTimeout:
      return {Treatment::kBudget, 1};
    case FailureCause::kNodeLost:
    case FailureCause::kPreempted:
    case FailureCause::kCoordinator:
      return {Treatment::kFree, 0};
    default:
      return {Treatment::kNever, 0};
  }
}

// Attempts that ended since the newest checkpoint, the one that ends now not among them.
struct History {
  int ended = 0;
  int failures = 0;  // those that count
  int same_cause = 0;
};

History HistoryOf(const Job& job, FailureCause cause, AttemptId newest_checkpoint) {
  History history;
  for (const Attempt& attempt : job.attempts) {
    if (attempt.state != AttemptState::kEnded || attempt.number < newest_checkpoint) continue;
    ++history.ended;
    if (PolicyOf(attempt.cause).treatment != Treatment::kFree) ++history.failures;
    if (attempt.cause == cause) ++history.same_cause;
  }
  return history;
}

absl::Duration Backoff(int earlier, double jitter) {
  const absl::Duration full = std::min(kLongestBackoff, kFirstBackoff * std::exp2(std::min(earlier, 30)));
  return full * (0.5 + 0.5 * jitter);
}

std::string RoundedUp(absl::Duration duration) { return absl::FormatDuration(absl::Ceil(duration, absl::Milliseconds(100))); }

absl::Status CheckState(const Job& job, JobState wanted, absl::string_view doing) {
  if (job.state == wanted) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(doing, " jobs/", job.id.value(), ": it is ", domain::JobStateName(job.state), ", not ", domain::JobStateName(wanted)));
}

void Move(Job& job, JobState state, absl::string_view reason, std::string message) {
  job.state = state;
  job.state_reason = std::string(reason);
  job.state_message = std::move(message);
}

}  // namespace

RetryDecision DecideRetry(const Job& job, FailureCause cause, AttemptId newest_checkpoint, double jitter) {
  const absl::string_view name = FailureCauseName(cause);
  const Policy policy = PolicyOf(cause);
  if (policy.treatment == Treatment::kNever) return {false, {}, absl::StrCat(name, " is never retried")};

  const History history = HistoryOf(job, cause, newest_checkpoint);
  const absl::Duration backoff = Backoff(history.ended, jitter);
  const std::string follows = absl::StrCat("attempt ", job.attempts.size() + 1, " follows in ", RoundedUp(backoff));
  if (policy.treatment == Treatment::kFree) return {true, backoff, absl::StrCat(follows, "; ", name, " spends no retries")};

  const auto set = job.retry_budget.find(cause);
  const int budget = set != job.retry_budget.end() ? set->second : policy.default_budget;
  const int used = history.same_cause + 1;
  if (used > budget) {
    return {false, {}, absl::StrCat("no further attempt: all ", budget, " retries after ", name, " since the last checkpoint are used")};
  }
  if (history.failures + 1 >= kMaxFailuresInRow) {
    return {false, {}, absl::StrCat("no further attempt: ", history.failures + 1, " failures in a row without a new checkpoint")};
  }
  return {true, backoff, absl::StrCat(follows, "; ", used, " of ", budget, " retries after ", name, " used")};
}

absl::Status BeginAttempt(Job& job, std::vector<std::string> slots, Incarnation incarnation, absl::Time now) {
  if (absl::Status status = CheckState(job, JobState::kPending, "starting"); !status.ok()) return status;
  Attempt attempt;
  attempt.number = AttemptId(job.attempts.empty() ? 1 : job.attempts.back().number.value() + 1);
  attempt.incarnation = incarnation;
  attempt.slots = std::move(slots);
  attempt.start_time = now;
  attempt.end_time = absl::InfinitePast();
  job.attempts.push_back(std::move(attempt));
  if (job.start_time == absl::InfinitePast()) job.start_time = now;
  Move(job, JobState::kStarting, "", "");
  return absl::OkStatus();
}

absl::Status MarkRunning(Job& job) {
  if (absl::Status status = CheckState(job, JobState::kStarting, "running"); !status.ok()) return status;
  job.current_attempt()->state = AttemptState::kRunning;
  Move(job, JobState::kRunning, "", "");
  return absl::OkStatus();
}

absl::Status EndAttempt(Job& job, AttemptId number, const AttemptEnd& end, const RetryDecision& decision, absl::Time now) {
  Attempt* const attempt = job.current_attempt();
  if (attempt == nullptr || attempt->number != number || attempt->state == AttemptState::kEnded) {
    return absl::FailedPreconditionError(
        absl::StrCat("ending attempt ", number.value(), " of jobs/", job.id.value(), ": it is not the attempt that runs"));
  }
  attempt->state = AttemptState::kEnded;
  attempt->cause = end.cause;
  attempt->error = end.error;
  attempt->exit_code = end.exit_code;
  attempt->signal = end.signal;
  attempt->end_time = now;

  const absl::string_view cause = FailureCauseName(end.cause);
  if (end.cause == FailureCause::kNone) {
    Move(job, JobState::kSucceeded, "", "");
  } else if (job.state == JobState::kCancelling) {
    Move(job, JobState::kCancelled, job.state_reason, absl::StrCat("cancelled in attempt ", number.value()));
  } else if (!decision.retry) {
    job.cause = end.cause;
    job.error = end.error;
    Move(job, JobState::kFailed, cause, absl::StrCat(end.error, " (", decision.message, ")"));
  } else if (job.state == JobState::kSuspending) {
    Move(job, JobState::kSuspended, job.state_reason, job.state_message);
  } else {
    Move(job, JobState::kPending, cause, absl::StrCat("attempt ", number.value(), ": ", end.error, " (", decision.message, ")"));
  }
  if (domain::IsTerminal(job.state)) job.end_time = now;
  return absl::OkStatus();
}

absl::Status FailPending(Job& job, FailureCause cause, std::string error, absl::Time now) {
  if (absl::Status status = CheckState(job, JobState::kPending, "failing"); !status.ok()) return status;
  job.cause = cause;
  job.error = error;
  job.end_time = now;
  Move(job, JobState::kFailed, FailureCauseName(cause), std::move(error));
  return absl::OkStatus();
}

}  // namespace traind::server::scheduler
