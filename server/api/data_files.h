#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::server::api {

// One error for each data file of `spec` that cannot be opened under `data_roots` (name → folder), with what to change. Nothing of a file
// is read.
std::vector<FieldError> DataFileErrors(const std::map<std::string, std::string>& data_roots, const v1::JobSpec& spec);

}  // namespace traind::server::api
