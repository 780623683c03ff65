// Names of jobs, as users write them. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "traind/v1/job.pb.h"

namespace traind::client::trainctl {

// "dqn-7xk2" and "jobs/dqn-7xk2" are "jobs/dqn-7xk2". A usage error for what can be no name.
absl::StatusOr<std::string> JobName(absl::string_view text);

bool HasEnded(v1::Job::State state);

// "PENDING"; the number for a state of a newer server.
std::string StateText(v1::Job::State state);

}  // namespace traind::client::trainctl
