// Values given one at a time on a command line.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/spec/origins.h"
#include "google/protobuf/message.h"

namespace traind::spec {

// Applies "dqn.learning_rate=1e-3", "dqn.hidden=[128, 128]", "labels.team=fx" or "data.sources[0].layout=wide" to `message`; the value
// is YAML, except that a text field takes it word for word unless it stands in quotes. Origin: "--set". Returns what is wrong, as
// ReadYaml does. Never throws. Pure.
std::vector<FieldError> SetOption(absl::string_view assignment, google::protobuf::Message& message, Origins& origins);

}  // namespace traind::spec
