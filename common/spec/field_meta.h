// What the schema says about a field, in words for people. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "traind/options/v1/options.pb.h"

namespace traind::spec {

const options::v1::FieldMeta& MetaOf(const google::protobuf::FieldDescriptor& field);

// A single message, neither repeated nor a map.
bool IsBlock(const google::protobuf::FieldDescriptor& field);
// A repeated message.
bool IsBlockList(const google::protobuf::FieldDescriptor& field);
// A repeated number, text or truth value.
bool IsScalarList(const google::protobuf::FieldDescriptor& field);

// "whole number", "duration", "list of text", "block", …
std::string TypeText(const google::protobuf::FieldDescriptor& field);
// "above 0, at most 1"; "market, synthetic"; "1 to 63 printable characters"; "" if anything goes.
std::string RangeText(const google::protobuf::FieldDescriptor& field);
// The bounds alone, in the field's unit: "1s to 8760h". "" if there are none.
std::string BoundsText(const google::protobuf::FieldDescriptor& field);

// "block.name"; name alone at the top.
std::string JoinPath(absl::string_view block, absl::string_view name);
// "list[2]".
std::string ElementPath(absl::string_view list, int index);

std::vector<std::string> FieldNames(const google::protobuf::Descriptor& message);
// Field paths below `root`, through blocks, that end in `name`. Elements of lists of blocks are left out: their index is unknown.
std::vector<std::string> PathsEndingIn(const google::protobuf::Descriptor& root, absl::string_view name);

}  // namespace traind::spec
