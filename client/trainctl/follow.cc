#include "client/trainctl/follow.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/lib/errors.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/text.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

constexpr size_t kLargestReport = 64 << 20;

// What ended the waiting did not end the job: says so.
absl::Status WithWayBack(const absl::Status& status, const std::string& name) {
  const std::string reason = ReasonOf(status).value_or("");
  if (reason != kInterrupted && reason != kWaitTimeout) return status;
  return WithReason(
      absl::Status(status.code(), absl::StrCat(status.message(), "; ", name, " goes on, come back to it with `trainctl wait ", name, "`")),
      reason);
}

}  // namespace

absl::StatusOr<v1::Job> FollowToEnd(Session& session, const std::string& name, absl::Duration timeout, ProgressDisplay* display) {
  ASSIGN_OR_RETURN(Client* const client, session.client());
  const std::unique_ptr<Stream<v1::WatchJobsResponse>> changes = client->jobs().Watch(name, timeout);
  for (;;) {
    absl::StatusOr<std::optional<v1::WatchJobsResponse>> change = changes->Next();
    if (!change.ok()) return WithWayBack(change.status(), name);
    if (!change->has_value()) return absl::InternalError("the watch ended");
    const v1::WatchJobsResponse& message = **change;
    if (message.deleted()) return absl::NotFoundError(absl::StrCat(name, " was deleted"));
    if (display != nullptr) display->Show(message.job());
    if (!HasEnded(message.job().state())) continue;
    if (display != nullptr) display->Clear();
    return message.job();
  }
}

std::string EndSentence(const v1::Job& job) {
  std::string sentence = absl::StrCat(job.name(), " ", StateText(job.state()));
  if (job.has_start_time() && job.has_end_time()) {
    absl::StrAppend(&sentence, " after ", DurationText(FromProto(job.end_time()) - FromProto(job.start_time())));
  }
  if (!job.failure_cause().empty()) absl::StrAppend(&sentence, " (", job.failure_cause(), ")");
  if (!job.error().empty()) absl::StrAppend(&sentence, ": ", Clean(job.error()));
  return sentence;
}

absl::StatusOr<std::optional<std::string>> FetchReport(Client& client, const std::string& name) {
  std::string report;
  const absl::Status status = client.jobs().Download(name, "report.json", [&report](absl::string_view piece) {
    if (report.size() + piece.size() > kLargestReport)
      return absl::ResourceExhaustedError("report.json is larger than 64 MiB; get it with trainctl artifact get");
    absl::StrAppend(&report, piece);
    return absl::OkStatus();
  });
  if (absl::IsNotFound(status)) return std::optional<std::string>();
  if (!status.ok()) return status;
  return std::optional<std::string>(std::move(report));
}

}  // namespace traind::client::trainctl
