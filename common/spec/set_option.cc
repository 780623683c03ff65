#include "common/spec/set_option.h"

#include <exception>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/spec/assign.h"
#include "common/spec/field_meta.h"
#include "common/spec/node_reader.h"
#include "common/spec/text.h"
#include "common/spec/yaml_text.h"

namespace traind::spec {
namespace {

constexpr char kOrigin[] = "--set";

bool IsText(const Target& target) {
  return !target.map_key.empty() ||
         (!target.field->is_repeated() && target.field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING);
}

// Text as a shell user means it: "a: b" and "x # y" are texts, not YAML.
absl::StatusOr<YAML::Node> ParseValue(const Target& target, absl::string_view value) {
  const bool verbatim = IsText(target) && !value.empty() && !absl::StartsWith(value, "\"") && !absl::StartsWith(value, "'");
  if (!verbatim) return ParseYamlText(value);
  const absl::Status text = CheckText(value);
  if (!text.ok()) return text;
  return YAML::Node(std::string(value));
}

void Apply(absl::string_view path, absl::string_view value, google::protobuf::Message& message, NodeReader& reader) {
  const Target target = FindTarget(path, message, reader);
  if (target.message == nullptr) return;
  const absl::StatusOr<YAML::Node> node = ParseValue(target, value);
  if (!node.ok()) return reader.AddError(Printable(path), -1, std::string(node.status().message()));
  Assign(target, *node, std::string(path), reader);
}

}  // namespace

std::vector<FieldError> SetOption(absl::string_view assignment, google::protobuf::Message& message, Origins& origins) {
  const size_t equals = assignment.find('=');
  if (equals == absl::string_view::npos || equals == 0 || !IsValidUtf8(assignment)) {
    return {{"", absl::StrCat(kOrigin, " ", Printable(assignment), ": write path=value, such as dqn.learning_rate=1e-3")}};
  }
  std::vector<FieldError> errors;
  const absl::string_view path = absl::StripAsciiWhitespace(assignment.substr(0, equals));
  NodeReader reader(kOrigin, NodeReader::Lines::kUnknown, NodeReader::QuotedNumbers::kNo, *message.GetDescriptor(), origins, errors);
  try {
    Apply(path, absl::StripAsciiWhitespace(assignment.substr(equals + 1)), message, reader);
  } catch (const std::exception& error) {  // from yaml-cpp
    errors.push_back({Printable(path), absl::StrCat("cannot be read as YAML: ", Printable(error.what()), " (", kOrigin, ")")});
  }
  return errors;
}

}  // namespace traind::spec
