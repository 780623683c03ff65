#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/ids.h"

namespace traind::server::launcher {

// Where a rank's output ("log") and exit record ("exit.json") lie.
inline std::string RankFolder(const std::string& job_folder, AttemptId attempt, int rank) {
  return absl::StrCat(job_folder, "/attempts/", attempt.value(), "/rank", rank);
}

}  // namespace traind::server::launcher
