// Whether values may be what they are. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/status.h"
#include "google/protobuf/message.h"
#include "traind/config/v1/daemon_config.pb.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::spec {

// Every field that is set, against the schema's range, choices, pattern and number of elements; required fields that are not. By
// reflection, for any message. `path` is where the message stands.
std::vector<FieldError> ValidateFields(const google::protobuf::Message& message, const std::string& path);

// ValidateFields, then what fields must be to one another (job_rules.h), all errors together. For a sparse specification, in which
// defaults stand for what is not set, and for a normalised one.
std::vector<FieldError> ValidateJob(const v1::JobSpec& spec);

// ValidateFields, then roots: names and absolute folders.
std::vector<FieldError> ValidateConfig(const config::v1::DaemonConfig& config);

}  // namespace traind::spec
