// YAML text into a specification or a configuration.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/spec/origins.h"
#include "google/protobuf/message.h"

namespace traind::spec {

// Reads `text`, named `source` in origins and errors ("job.yaml", "stdin"), into `message`: only what the text sets is set. Origins are
// added to `origins`. Returns everything that is wrong, in the order of the text: unknown and repeated keys, values of another type,
// two tasks, and text that is not YAML or not within bounds (1 MiB, 32 levels, 100,000 values). Empty if all is well. Ranges and
// relations between fields are left to validate.h. Never throws. Pure.
std::vector<FieldError> ReadYaml(absl::string_view text, const std::string& source, google::protobuf::Message& message, Origins& origins);

}  // namespace traind::spec
