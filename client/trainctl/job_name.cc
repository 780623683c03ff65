#include "client/trainctl/job_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/text.h"

namespace traind::client::trainctl {

absl::StatusOr<std::string> JobName(absl::string_view text) {
  const absl::string_view id = absl::StripPrefix(text, "jobs/");
  const auto allowed = [](char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '.' || c == '_' || c == '-'; };
  const bool valid = !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), allowed) && absl::ascii_isalnum(id[0]);
  if (!valid) {
    return UsageError(absl::StrCat("\"", CutToWidth(Clean(text), 80), "\" is not the name of a job; `trainctl get jobs` lists them"));
  }
  return absl::StrCat("jobs/", id);
}

bool HasEnded(v1::Job::State state) { return state == v1::Job::SUCCEEDED || state == v1::Job::FAILED || state == v1::Job::CANCELLED; }

std::string StateText(v1::Job::State state) {
  const std::string& name = v1::Job::State_Name(state);
  return name.empty() ? absl::StrCat(static_cast<int>(state)) : name;
}

}  // namespace traind::client::trainctl
