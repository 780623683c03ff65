#include "server/api/job_intake.h"

#include <sys/random.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/base/status.h"
#include "common/base/units.h"
#include "common/os/files.h"
#include "common/spec/data_path.h"
#include "common/spec/normalise.h"
#include "common/spec/validate.h"
#include "server/api/job_proto.h"

namespace traind::server::api {
namespace {

uint64_t Random64() {
  uint64_t random = 0;
  // A short read of at most 256 bytes cannot happen once the kernel's pool is filled, which it is long before a daemon runs.
  while (getrandom(&random, sizeof(random), 0) != sizeof(random)) {
  }
  return random;
}

std::string TaskName(const v1::JobSpec& spec) {
  const auto* task = v1::JobSpec::descriptor()->FindOneofByName("task");
  const auto* field = spec.GetReflection()->GetOneofFieldDescriptor(spec, task);
  return field == nullptr ? "" : field->name();
}

std::string KnownRoots(const ApiContext& api) {
  if (api.settings.data_roots.empty()) return "data_roots is empty";
  return absl::StrCat("data_roots has ", absl::StrJoin(api.settings.data_roots, ", ", [](std::string* out, const auto& root) {
                        absl::StrAppend(out, root.first);
                      }));
}

// What keeps one data file from being read; nothing if it can be opened.
std::optional<std::string> DataFileProblem(const ApiContext& api, const std::string& text) {
  const absl::StatusOr<spec::DataPath> path = spec::ParseDataPath(text);
  if (!path.ok()) return std::string(path.status().message());
  const auto root = api.settings.data_roots.find(path->root);
  if (root == api.settings.data_roots.end()) {
    return absl::StrCat(text, " names the root ", path->root, ", but ", KnownRoots(api), "; add to the daemon's configuration: data_roots: {",
                        path->root, ": /folder}");
  }
  const absl::StatusOr<os::UniqueFd> file = os::OpenBeneath(root->second, path->path);
  if (!file.ok()) return absl::StrCat(text, " cannot be opened: ", file.status().message());
  return std::nullopt;
}

void CheckDataFiles(const ApiContext& api, const v1::JobSpec& spec, std::vector<FieldError>& errors) {
  for (int i = 0; i < spec.data().sources_size(); ++i) {
    const v1::DataSource& source = spec.data().sources(i);
    if (!source.has_path()) continue;
    if (const std::optional<std::string> problem = DataFileProblem(api, source.path())) {
      errors.push_back({absl::StrCat("data.sources[", i, "].path"), *problem});
    }
  }
}

std::optional<absl::Duration> DurationOf(bool set, const std::string& text) {
  if (!set) return std::nullopt;
  const absl::StatusOr<absl::Duration> duration = ParseDurationText(text);
  return duration.ok() ? std::optional<absl::Duration>(*duration) : std::nullopt;
}

void CopySchedulingFields(const v1::JobSpec& spec, domain::Job& job) {
  job.display_name = spec.display_name();
  job.labels = {spec.labels().begin(), spec.labels().end()};
  job.kind = TaskName(spec);
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

absl::StatusOr<CheckedSpec> CheckSpec(const ApiContext& api, const v1::JobSpec& spec,
                                      const google::protobuf::Map<std::string, std::string>& origins) {
  std::vector<FieldError> errors = spec::ValidateJob(spec);
  CheckDataFiles(api, spec, errors);
  if (!errors.empty()) return WithReason(FieldErrorsStatus(errors), "SPEC_INVALID");
  CheckedSpec checked;
  checked.normalised = spec::NormaliseJob(spec);
  checked.bytes = spec::DeterministicBytes(checked.normalised);
  checked.sha256 = spec::SpecHash(checked.normalised);
  for (const auto& [path, origin] : origins) checked.user_set_paths.push_back(path);
  std::sort(checked.user_set_paths.begin(), checked.user_set_paths.end());
  RETURN_IF_ERROR(api.supervisor.CheckFeasible(checked.normalised.resources().slots(), checked.normalised.resources().device()));
  return checked;
}

absl::Status CheckRoom(const ApiContext& api) {
  ASSIGN_OR_RETURN(const uint64_t free, os::FreeBytes(api.settings.state_folder));
  if (free < api.settings.disk_reserve) {
    return WithReason(absl::ResourceExhaustedError(absl::StrCat(
                          "the state folder ", api.settings.state_folder, " has ", FormatSizeText(free >> 20 << 20), " free, less than limits.disk_reserve (",
                          FormatSizeText(api.settings.disk_reserve), "); free some space or delete finished jobs")),
                      "DISK_RESERVE");
  }
  const std::vector<store::JobPtr> jobs = api.store.List();
  const auto waiting = std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job->state == domain::JobState::kPending; });
  if (waiting >= api.settings.queued_jobs) {
    return WithReason(absl::ResourceExhaustedError(absl::StrCat(waiting, " jobs wait, as many as limits.queued_jobs allows; try again later")),
                      "QUEUE_FULL");
  }
  return absl::OkStatus();
}

absl::StatusOr<domain::Job> MakeJob(const ApiContext& api, const v1::CreateJobRequest& request, const CheckedSpec& spec, std::string owner) {
  if (request.request_id().size() > 64) return absl::InvalidArgumentError("request_id has more than 64 characters; use a UUID");
  domain::Job job;
  const uint64_t random = Random64();
  CopySchedulingFields(spec.normalised, job);
  job.id = JobId(absl::StrCat(job.kind, "-", ShortId(random)));
  job.uid = absl::StrFormat("%016x%016x", random, Random64());
  job.request_id = request.request_id().empty() ? job.uid : request.request_id();
  job.owner = std::move(owner);
  job.spec_bytes = spec.bytes;
  job.spec_sha256 = spec.sha256;
  job.origins = {request.origins().begin(), request.origins().end()};
  job.create_time = api.clock.Now();
  return job;
}

}  // namespace traind::server::api
