#include "server/api/job_filter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/status.h"

namespace traind::server::api {

absl::StatusOr<JobFilter> JobFilter::Parse(const std::string& text) {
  JobFilter filter;
  if (text.empty()) return filter;
  for (const absl::string_view part : absl::StrSplit(text, " AND ")) {
    const std::pair<std::string, std::string> term = absl::StrSplit(absl::StripAsciiWhitespace(part), absl::MaxSplits('=', 1));
    absl::string_view key = term.first;
    if (key == "state") {
      domain::JobState state;
      RETURN_IF_ERROR(domain::JobStateFromName(term.second, state));
      filter.state_ = state;
    } else if (key == "kind") {
      filter.kind_ = term.second;
    } else if (absl::ConsumePrefix(&key, "labels.") && !key.empty()) {
      filter.labels_[std::string(key)] = term.second;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("filter: \"", part, "\" is not understood; use state=…, kind=… or labels.name=…, joined by AND"));
    }
  }
  return filter;
}

bool JobFilter::Matches(const domain::Job& job) const {
  if (state_.has_value() && job.state != *state_) return false;
  if (kind_.has_value() && job.kind != *kind_) return false;
  for (const auto& [name, value] : labels_) {
    const auto label = job.labels.find(name);
    if (label == job.labels.end() || label->second != value) return false;
  }
  return true;
}

}  // namespace traind::server::api
