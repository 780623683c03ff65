// One number, text or truth value: between text, memory and a field of a message. All functions are pure except the setters.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace traind::spec {

// int64_t for int32 and int64 fields.
using ScalarValue = std::variant<bool, int64_t, double, std::string>;

// `text` as a value of the field's type (of an element's, for a list). `quoted`: it stood in quotes, so that it is meant as text.
// Whole numbers may be written 1e6. INVALID_ARGUMENT: "expected a whole number, found …".
absl::StatusOr<ScalarValue> ParseScalar(const google::protobuf::FieldDescriptor& field, absl::string_view text, bool quoted);

// Sets a single field, or appends to a repeated one. `value` has the field's type and, for int32, its range.
void StoreScalar(const google::protobuf::FieldDescriptor& field, const ScalarValue& value, google::protobuf::Message& message);
// A field that is set, or element `index` of a repeated one.
ScalarValue LoadScalar(const google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field, int index = -1);

// Sets one entry of a map with text keys; an existing one is replaced. The cost is linear in the size of the map.
void StoreMapEntry(const google::protobuf::FieldDescriptor& field, const std::string& key, const ScalarValue& value,
                   google::protobuf::Message& message);

// Shortest text that reads back as the same number; whole numbers below 10⁷ without an exponent.
std::string NumberText(double number);
// As NumberText, true, false, or the text itself.
std::string ScalarText(const ScalarValue& value);

}  // namespace traind::spec
