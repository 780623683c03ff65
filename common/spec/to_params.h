#pragma once

#include <string>
#include <vector>

#include "common/base/params.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::spec {

// A normalised specification as the worker reads it: one key per field path, lists of numbers or texts as one value, maps and lists of
// blocks with a key for each entry. A key counts as set by the user if its path, or one it lies in, is in `user_set_paths`. Pure.
Params ToParams(const v1::JobSpec& normalised, const std::vector<std::string>& user_set_paths);

}  // namespace traind::spec
