// What the fields of a job must be to one another. Pure.
#pragma once

#include <vector>

#include "common/base/status.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::spec {

// Adds what is wrong to `errors`, which hold what is wrong with single fields; a rule over a field that is wrong by itself is not looked
// at. `spec` is what the user set, `normalised` the same with defaults.
void CheckJobRules(const v1::JobSpec& spec, const v1::JobSpec& normalised, std::vector<FieldError>& errors);

}  // namespace traind::spec
