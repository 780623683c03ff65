// The filter of ListJobs: `state=RUNNING`, `labels.team=fx`, `kind=dqn`, joined by AND.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/domain/job.h"

namespace traind::server::api {

class JobFilter {
 public:
  // An empty text matches all. INVALID_ARGUMENT naming the part that is not understood.
  static absl::StatusOr<JobFilter> Parse(const std::string& text);
  bool Matches(const domain::Job& job) const;

 private:
  std::optional<domain::JobState> state_;
  std::optional<std::string> kind_;
  std::map<std::string, std::string> labels_;
};

}  // namespace traind::server::api
