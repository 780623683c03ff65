// API messages as proto3 JSON: what scripts read. Fields without presence are always there, two spaces of indentation, a newline at the
// end.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"

namespace traind::client::trainctl {

std::string JsonText(const google::protobuf::Message& message);

// With one more member, which is a JSON text itself: DATA_LOSS naming it if that cannot be read.
absl::StatusOr<std::string> JsonTextWith(const google::protobuf::Message& message, const std::string& member, const std::string& json);

// An array with one element for each message.
std::string JsonArrayText(const std::vector<const google::protobuf::Message*>& messages);
template <typename Messages>
std::string JsonArrayOf(const Messages& messages) {
  std::vector<const google::protobuf::Message*> pointers;
  for (const auto& message : messages) pointers.push_back(&message);
  return JsonArrayText(pointers);
}

// {"error": {"code", "reason", "message", "fieldErrors", "exitCode"}}
std::string JsonErrorText(const absl::Status& status, int exit_code);

}  // namespace traind::client::trainctl
