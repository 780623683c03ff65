#include "worker/agent/agent_context.h"

#include <unistd.h>

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "common/spec/data_path.h"

namespace traind::worker::agent {
namespace {

void SetEta(const TaskProgress& progress, v1::Progress& message) {
  const int64_t left = progress.total_steps - progress.step;
  if (progress.steps_per_second <= 0 || left < 0) return;
  const double seconds = static_cast<double>(left) / progress.steps_per_second;
  message.mutable_eta()->set_seconds(static_cast<int64_t>(std::ceil(seconds)));
}

}  // namespace

AgentContext::AgentContext(const Params& params, RunFacts facts, Session& session, RunMetrics& metrics, const Clock& clock)
    : params_(params),
      facts_(std::move(facts)),
      artifacts_folder_(absl::StrCat(facts_.job_folder, "/artifacts")),
      checkpoints_folder_(absl::StrCat(facts_.job_folder, "/checkpoints")),
      session_(session),
      metrics_(metrics),
      clock_(clock) {}

absl::StatusOr<os::UniqueFd> AgentContext::OpenData(absl::string_view root_path) {
  const auto path = spec::ParseDataPath(root_path);
  if (!path.ok()) return WithCause(path.status(), FailureCause::kData);
  const auto root = facts_.data_roots.find(path->root);
  if (root == facts_.data_roots.end()) {
    return WithCause(absl::NotFoundError(absl::StrCat(root_path, ": the daemon's data_roots have no ", path->root)), FailureCause::kData);
  }
  absl::StatusOr<os::UniqueFd> file = os::OpenBeneath(root->second, path->path);
  if (!file.ok()) return WithCause(Annotate(file.status(), root_path), FailureCause::kData);
  return file;
}

void AgentContext::ReportProgress(const TaskProgress& progress) {
  v1::Progress message;
  message.set_phase(progress.phase);
  message.set_step(progress.step);
  message.set_total_steps(progress.total_steps);
  message.set_fold(progress.fold);
  message.set_total_folds(progress.total_folds);
  message.set_steps_per_second(progress.steps_per_second);
  if (progress.loss.has_value()) message.set_loss(*progress.loss);
  SetEta(progress, message);
  session_.ReportProgress(message);
  metrics_.Progress(progress);
}

void AgentContext::RecordMetrics(const MetricRow& row) { metrics_.Row(row); }

void AgentContext::Log(absl::string_view line) {
  // One write per line, so that lines of several threads do not mix.
  const std::string text = absl::StrCat(line, "\n");
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
}

void AgentContext::SetResult(absl::string_view key, absl::string_view value) {
  MutexLock lock(mutex_);
  results_[std::string(key)] = std::string(value);
}

absl::Status AgentContext::CheckpointWritten(const WrittenCheckpoint& checkpoint) {
  internal::v1::CheckpointPrepared message;
  message.set_step(checkpoint.step);
  message.set_folder(checkpoint.folder);
  message.set_size_bytes(static_cast<int64_t>(checkpoint.size_bytes));
  message.set_manifest_sha256(checkpoint.manifest_sha256);
  for (const auto& [name, value] : checkpoint.metrics) (*message.mutable_metrics())[name] = value;
  session_.ReportCheckpoint(message);
  metrics_.CheckpointWritten(checkpoint);
  return absl::OkStatus();
}

std::map<std::string, std::string> AgentContext::results() const {
  MutexLock lock(mutex_);
  return results_;
}

}  // namespace traind::worker::agent
