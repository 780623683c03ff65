#include "server/supervisor/job_folders.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/files.h"

namespace traind::server::supervisor {

std::string JobFolder(const std::string& state, const JobId& job) { return absl::StrCat(state, "/jobs/", job.value()); }
std::string CheckFolder(const std::string& state, const JobId& check) { return absl::StrCat(state, "/checks/", check.value()); }

absl::Status RemoveStrayFolders(const std::string& state, const std::set<JobId>& known) {
  RETURN_IF_ERROR(os::RemoveTree(state + "/checks"));
  const absl::StatusOr<std::vector<std::string>> names = os::ListFolder(state + "/jobs");
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (!known.contains(JobId(name))) RETURN_IF_ERROR(os::RemoveTree(JobFolder(state, JobId(name))));
  }
  return absl::OkStatus();
}

}  // namespace traind::server::supervisor
