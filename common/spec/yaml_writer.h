#pragma once

#include <string>

#include "google/protobuf/message.h"

namespace traind::spec {

// The fields that are set, as YAML that ReadYaml reads back to an equal message; secrets are shown as <secret>. Pure.
std::string ToYaml(const google::protobuf::Message& message);

}  // namespace traind::spec
