// The folders of jobs below the state folder. Stateless functions of it; thread-safe.
#pragma once

#include <set>
#include <string>

#include "absl/status/status.h"
#include "common/base/ids.h"

namespace traind::server::supervisor {

std::string JobFolder(const std::string& state, const JobId& job);
// The folder of a data check, beside the jobs.
std::string CheckFolder(const std::string& state, const JobId& check);

// Removes folders of jobs that are not in `known`, and of every data check: what a crash left between a row and its folder.
absl::Status RemoveStrayFolders(const std::string& state, const std::set<JobId>& known);

}  // namespace traind::server::supervisor
