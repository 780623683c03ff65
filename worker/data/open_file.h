#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/os/unique_fd.h"

namespace traind::worker::data {

// Opens a data file named root:path; errors carry cause DATA.
using OpenFile = std::function<absl::StatusOr<os::UniqueFd>(absl::string_view root_path)>;

}  // namespace traind::worker::data
