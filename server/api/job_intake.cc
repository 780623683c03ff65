#include "server/api/job_intake.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/status.h"
#include "common/base/units.h"
#include "common/os/files.h"
#include "common/os/random.h"
#include "common/spec/normalise.h"
#include "common/spec/origins.h"
#include "common/spec/task_name.h"
#include "common/spec/validate.h"
#include "server/api/data_files.h"
#include "server/api/set_paths.h"

namespace traind::server::api {
namespace {

// A job must fit into one message together with its origins and attempts.
constexpr size_t kMaxSpecBytes = 1 << 20;
constexpr size_t kMaxOrigin = 256;
// Of a value whose origin the client did not tell.
constexpr char kUnknownOrigin[] = "request";
constexpr size_t kMaxRequestId = 64;

std::optional<absl::Duration> DurationOf(bool set, const std::string& text) {
  if (!set) return std::nullopt;
  const absl::StatusOr<absl::Duration> duration = ParseDurationText(text);
  return duration.ok() ? std::optional<absl::Duration>(*duration) : std::nullopt;
}

void CopySchedulingFields(const v1::JobSpec& spec, domain::Job& job) {
  job.display_name = spec.display_name();
  job.labels = {spec.labels().begin(), spec.labels().end()};
  job.kind = spec::TaskName(spec);
  job.priority = spec.priority();
  job.slots = spec.resources().slots();
  job.device = spec.resources().device();
  job.max_runtime = DurationOf(spec.limits().has_max_runtime(), spec.limits().max_runtime());
  job.queue_deadline = DurationOf(spec.limits().has_queue_deadline(), spec.limits().queue_deadline());
  job.retry_budget = {{FailureCause::kCrashed, spec.retry().crashed()},
                      {FailureCause::kPeer, spec.retry().peer()},
                      {FailureCause::kOomHost, spec.retry().oom()},
                      {FailureCause::kOomDevice, spec.retry().oom()},
                      {FailureCause::kTimeout, spec.retry().timeout()}};
  job.checkpoint_keep_last = spec.checkpoint().keep_last();
}

// 8 characters that nobody confuses: no vowels, no l and 1.
std::string ShortId(uint64_t random) {
  constexpr absl::string_view kAlphabet = "bcdfghjkmnpqrstvwxz23456789";
  std::string id;
  for (int i = 0; i < 8; ++i, random /= kAlphabet.size()) id += kAlphabet[random % kAlphabet.size()];
  return id;
}

}  // namespace

absl::StatusOr<CheckedSpec> CheckSpec(const ApiContext& api, const v1::JobSpec& spec, const OriginMap& origins) {
  if (spec.ByteSizeLong() > kMaxSpecBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the specification has ", spec.ByteSizeLong(), " bytes, at most ", kMaxSpecBytes));
  }
  std::vector<FieldError> errors = spec::ValidateJob(spec);
  std::vector<FieldError> data_errors = DataFileErrors(api.settings.data_roots, spec);
  if (!errors.empty()) {
    errors.insert(errors.end(), data_errors.begin(), data_errors.end());
    return WithReason(FieldErrorsStatus(errors), "SPEC_INVALID");
  }
  CheckedSpec checked;
  checked.normalised = spec::NormaliseJob(spec);
  checked.bytes = spec::DeterministicBytes(checked.normalised);
  checked.sha256 = spec::SpecHash(checked.normalised);
  checked.data_errors = std::move(data_errors);
  checked.user_set_paths = SetPaths(spec);
  const spec::Origins told(origins.begin(), origins.end());
  for (const std::string& path : checked.user_set_paths) {
    const std::string origin = spec::OriginOf(told, path).substr(0, kMaxOrigin);
    checked.origins[path] = origin.empty() ? kUnknownOrigin : origin;
  }
  return checked;
}

absl::Status CheckRunnable(const ApiContext& api, const CheckedSpec& spec) {
  if (!spec.data_errors.empty()) return WithReason(FieldErrorsStatus(spec.data_errors), "SPEC_INVALID");
  return api.supervisor.CheckFeasible(spec.normalised.resources().slots(), spec.normalised.resources().device());
}

absl::Status CheckRoom(const ApiContext& api) {
  ASSIGN_OR_RETURN(const uint64_t free, os::FreeBytes(api.settings.state_folder));
  if (free < api.settings.disk_reserve) {
    const std::string room = free < 1 << 20 ? "less than 1MiB" : FormatSizeText(free >> 20 << 20);
    return WithReason(absl::ResourceExhaustedError(absl::StrCat(
                          "the state folder ", api.settings.state_folder, " has ", room, " free, less than limits.disk_reserve (",
                          FormatSizeText(api.settings.disk_reserve), "); free some space or delete finished jobs")),
                      "DISK_RESERVE");
  }
  const std::vector<store::JobPtr> jobs = api.store.List();
  const auto waiting = std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job->state == domain::JobState::kPending; });
  if (waiting >= api.settings.queued_jobs) {
    return WithReason(
        absl::ResourceExhaustedError(absl::StrCat(waiting, " jobs wait, as many as limits.queued_jobs allows; try again later")),
        "QUEUE_FULL");
  }
  return absl::OkStatus();
}

absl::Status CheckRequestId(const std::string& request_id) {
  const bool known = std::all_of(request_id.begin(), request_id.end(),
                                 [](unsigned char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-'; });
  if (known && request_id.size() <= kMaxRequestId) return absl::OkStatus();
  return absl::InvalidArgumentError("request_id must be at most 64 letters, digits or . _ -; use a UUID, or leave it out");
}

domain::Job MakeJob(const ApiContext& api, const std::string& request_id, const CheckedSpec& spec, std::string owner) {
  domain::Job job;
  const uint64_t random = os::Random64();
  CopySchedulingFields(spec.normalised, job);
  job.id = JobId(absl::StrCat(job.kind, "-", ShortId(random)));
  job.uid = absl::StrFormat("%016x%016x", random, os::Random64());
  job.request_id = request_id.empty() ? job.uid : request_id;
  job.owner = std::move(owner);
  job.spec_bytes = spec.bytes;
  job.spec_sha256 = spec.sha256;
  job.origins = spec.origins;
  job.state_reason = "QUEUED";
  job.state_message = "waits for the scheduler to look at it";
  job.create_time = api.clock.Now();
  return job;
}

}  // namespace traind::server::api
