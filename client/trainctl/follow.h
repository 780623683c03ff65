// Waiting for the end of a job.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/trainctl/progress.h"
#include "client/trainctl/session.h"
#include "traind/v1/job.pb.h"

namespace traind::client::trainctl {

// The job when it has ended, `display` (if any) kept up to date on the way. Errors of Stream, with what becomes of the job and how to come
// back to it; NOT_FOUND when the job was deleted meanwhile.
absl::StatusOr<v1::Job> FollowToEnd(Session& session, const std::string& name, absl::Duration timeout, ProgressDisplay* display);

// "jobs/x SUCCEEDED after 1m 40s", "jobs/x FAILED after 3s (DATA): …". Pure.
std::string EndSentence(const v1::Job& job);

// report.json of a job; nothing if it has none.
absl::StatusOr<std::optional<std::string>> FetchReport(Client& client, const std::string& name);

}  // namespace traind::client::trainctl
