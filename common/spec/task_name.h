#pragma once

#include <string>

#include "traind/v1/job_spec.pb.h"

namespace traind::spec {

// The name of the task's field: "dqn"; empty without a task. Pure.
std::string TaskName(const v1::JobSpec& spec);

}  // namespace traind::spec
