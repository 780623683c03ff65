// One value at one field path. Internal to common/spec: --set and hyper-parameter files share it.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/spec/node_reader.h"
#include "google/protobuf/message.h"
#include "yaml-cpp/yaml.h"

namespace traind::spec {

// Where a path leads. Blocks on the way are created; nothing else changes.
struct Target {
  google::protobuf::Message* message = nullptr;  // nullptr: the path is wrong, and the reader holds the error
  const google::protobuf::FieldDescriptor* field = nullptr;
  std::string map_key;  // for a map field: the entry, "" for the whole map
};

// Follows "data.sources[0].path" or "labels.team" from `root`. A list may grow by one: element N of a list of N.
Target FindTarget(absl::string_view path, google::protobuf::Message& root, NodeReader& reader);

// Stores `value` at the target, with the reader's checks.
void Assign(const Target& target, const YAML::Node& value, const std::string& path, NodeReader& reader);

// The field at `path` in the schema alone, nullptr if there is none. Indices are optional; a map's entries lead to the map.
const google::protobuf::FieldDescriptor* FindFieldAt(absl::string_view path, const google::protobuf::Descriptor& root);

}  // namespace traind::spec
