#include "server/api/job_proto.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/failure.h"

namespace traind::server::api {
namespace {

constexpr char kPrefix[] = "jobs/";
constexpr size_t kMaxId = 64;
// What google.protobuf.Duration holds is bounded, an estimate is not.
constexpr absl::Duration kLongestEta = absl::Hours(24 * 365 * 100);

bool IsIdChar(char c, bool first) {
  const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  return alphanumeric || (!first && (c == '.' || c == '_' || c == '-'));
}

bool IsSet(absl::Time time) { return time != absl::InfinitePast() && time != absl::InfiniteFuture() && time != absl::Time(); }

absl::string_view AttemptStateName(domain::AttemptState state) {
  switch (state) {
    case domain::AttemptState::kStarting:
      return "STARTING";
    case domain::AttemptState::kRunning:
      return "RUNNING";
    case domain::AttemptState::kStopping:
      return "STOPPING";
    case domain::AttemptState::kEnded:
      return "ENDED";
  }
  return "";
}

void FillAttempt(const domain::Attempt& attempt, v1::Attempt& message) {
  message.set_number(attempt.number.value());
  // As text: JSON readers take numbers as doubles, which do not hold 64 bits.
  message.set_incarnation(absl::StrCat(attempt.incarnation.value()));
  message.set_state(std::string(AttemptStateName(attempt.state)));
  if (attempt.cause != FailureCause::kNone) message.set_failure_cause(std::string(FailureCauseName(attempt.cause)));
  message.set_error(attempt.error);
  if (IsSet(attempt.start_time)) *message.mutable_start_time() = TimeProto(attempt.start_time);
  if (IsSet(attempt.end_time)) *message.mutable_end_time() = TimeProto(attempt.end_time);
  for (const std::string& slot : attempt.slots) message.add_slots(slot);
  message.set_exit_code(attempt.exit_code);
  message.set_signal(attempt.signal);
}

}  // namespace

std::string JobName(const JobId& id) { return absl::StrCat(kPrefix, id.value()); }

absl::StatusOr<JobId> ParseJobName(const std::string& name) {
  const std::string id = absl::StartsWith(name, kPrefix) ? name.substr(sizeof(kPrefix) - 1) : "";
  bool good = !id.empty() && id.size() <= kMaxId;
  for (size_t i = 0; i < id.size() && good; ++i) good = IsIdChar(id[i], i == 0);
  if (!good)
    return absl::InvalidArgumentError(
        absl::StrCat("\"", name.substr(0, 100), "\" is not the name of a job; names look like jobs/dqn-1a2b3c4d"));
  return JobId(id);
}

google::protobuf::Timestamp TimeProto(absl::Time time) {
  google::protobuf::Timestamp timestamp;
  timestamp.set_seconds(absl::ToUnixSeconds(time));
  timestamp.set_nanos(static_cast<int32_t>((time - absl::FromUnixSeconds(timestamp.seconds())) / absl::Nanoseconds(1)));
  return timestamp;
}

v1::Job::State StateProto(domain::JobState state) {
  switch (state) {
    case domain::JobState::kPending:
      return v1::Job::PENDING;
    case domain::JobState::kStarting:
      return v1::Job::STARTING;
    case domain::JobState::kRunning:
      return v1::Job::RUNNING;
    case domain::JobState::kSuspending:
      return v1::Job::SUSPENDING;
    case domain::JobState::kSuspended:
      return v1::Job::SUSPENDED;
    case domain::JobState::kCancelling:
      return v1::Job::CANCELLING;
    case domain::JobState::kSucceeded:
      return v1::Job::SUCCEEDED;
    case domain::JobState::kFailed:
      return v1::Job::FAILED;
    case domain::JobState::kCancelled:
      return v1::Job::CANCELLED;
  }
  return v1::Job::STATE_UNSPECIFIED;
}

v1::Job ToProto(const domain::Job& job) {
  v1::Job message;
  message.set_name(JobName(job.id));
  message.set_uid(job.uid);
  message.mutable_spec()->ParseFromString(job.spec_bytes);
  message.set_spec_sha256(job.spec_sha256);
  message.mutable_origins()->insert(job.origins.begin(), job.origins.end());
  message.set_state(StateProto(job.state));
  message.set_state_reason(job.state_reason);
  message.set_state_message(job.state_message);
  if (job.cause != FailureCause::kNone) message.set_failure_cause(std::string(FailureCauseName(job.cause)));
  message.set_error(job.error);
  for (const domain::Attempt& attempt : job.attempts) FillAttempt(attempt, *message.add_attempts());
  *message.mutable_create_time() = TimeProto(job.create_time);
  if (IsSet(job.start_time)) *message.mutable_start_time() = TimeProto(job.start_time);
  if (IsSet(job.end_time)) *message.mutable_end_time() = TimeProto(job.end_time);
  message.set_etag(absl::StrCat(job.revision));
  message.set_request_id(job.request_id);
  message.set_owner(job.owner);
  message.mutable_result()->insert(job.result.begin(), job.result.end());
  return message;
}

v1::Progress ToProto(const supervisor::Progress& progress) {
  v1::Progress message;
  message.set_step(progress.step);
  message.set_total_steps(progress.total_steps);
  message.set_fold(progress.fold);
  message.set_total_folds(progress.total_folds);
  message.set_steps_per_second(progress.steps_per_second);
  if (progress.loss.has_value()) message.set_loss(*progress.loss);
  if (progress.eta.has_value()) {
    message.mutable_eta()->set_seconds(absl::ToInt64Seconds(std::clamp(*progress.eta, absl::ZeroDuration(), kLongestEta)));
  }
  message.set_phase(progress.phase);
  return message;
}

v1::Event ToProto(const domain::Event& event) {
  v1::Event message;
  message.set_sequence(event.sequence);
  *message.mutable_time() = TimeProto(event.time);
  message.set_actor(event.actor);
  message.set_action(event.action);
  message.set_target(event.target);
  message.set_message(event.message);
  return message;
}

v1::Checkpoint ToProto(const domain::Checkpoint& checkpoint) {
  v1::Checkpoint message;
  message.set_name(absl::StrCat(JobName(checkpoint.job), "/checkpoints/", checkpoint.step));
  message.set_step(checkpoint.step);
  message.set_attempt(checkpoint.attempt.value());
  message.set_size_bytes(checkpoint.size_bytes);
  message.set_manifest_sha256(checkpoint.manifest_sha256);
  *message.mutable_create_time() = TimeProto(checkpoint.create_time);
  message.set_pinned(checkpoint.pinned);
  message.mutable_metrics()->insert(checkpoint.metrics.begin(), checkpoint.metrics.end());
  return message;
}

}  // namespace traind::server::api
