#include "common/spec/yaml_writer.h"

#include <map>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/spec/field_meta.h"
#include "common/spec/scalar.h"
#include "yaml-cpp/yaml.h"

namespace traind::spec {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// A text that would read back as something else stands in quotes.
void EmitText(const std::string& text, YAML::Emitter& out) {
  double unused = 0;
  const bool plain = !text.empty() && text.find_first_of(":#{}[],&*!|>'\"%@`\n\t") == std::string::npos && text.front() != ' ' &&
                     text.back() != ' ' && text.front() != '-' && text.front() != '?' && !absl::SimpleAtod(text, &unused) &&
                     text != "true" && text != "false" && text != "null" && text != "~" && text != "yes" && text != "no" && text != "on" &&
                     text != "off";
  if (plain) {
    out << text;
  } else {
    out << YAML::DoubleQuoted << text;
  }
}

void EmitScalar(const FieldDescriptor& field, const ScalarValue& value, YAML::Emitter& out) {
  if (MetaOf(field).secret()) {
    out << "<secret>";
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    EmitText(*text, out);
  } else {
    out << ScalarText(value);
  }
}

void EmitMessage(const Message& message, YAML::Emitter& out);

void EmitMap(const Message& message, const FieldDescriptor& field, YAML::Emitter& out) {
  std::map<std::string, std::string> entries;
  for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
    const Message& entry = message.GetReflection()->GetRepeatedMessage(message, &field, i);
    const auto* descriptor = entry.GetDescriptor();
    entries[entry.GetReflection()->GetString(entry, descriptor->map_key())] =
        entry.GetReflection()->GetString(entry, descriptor->map_value());
  }
  out << YAML::BeginMap;
  for (const auto& [key, value] : entries) {
    out << YAML::Key;
    EmitText(key, out);
    out << YAML::Value;
    EmitText(value, out);
  }
  out << YAML::EndMap;
}

void EmitList(const Message& message, const FieldDescriptor& field, YAML::Emitter& out) {
  if (IsScalarList(field)) out << YAML::Flow;
  out << YAML::BeginSeq;
  for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
    if (IsBlockList(field)) {
      EmitMessage(message.GetReflection()->GetRepeatedMessage(message, &field, i), out);
    } else {
      EmitScalar(field, LoadScalar(message, field, i), out);
    }
  }
  out << YAML::EndSeq;
}

void EmitMessage(const Message& message, YAML::Emitter& out) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  if (fields.empty()) out << YAML::Flow;
  out << YAML::BeginMap;
  for (const FieldDescriptor* field : fields) {
    out << YAML::Key << field->name() << YAML::Value;
    if (field->is_map()) {
      EmitMap(message, *field, out);
    } else if (field->is_repeated()) {
      EmitList(message, *field, out);
    } else if (IsBlock(*field)) {
      EmitMessage(message.GetReflection()->GetMessage(message, field), out);
    } else {
      EmitScalar(*field, LoadScalar(message, *field), out);
    }
  }
  out << YAML::EndMap;
}

}  // namespace

std::string ToYaml(const Message& message) {
  YAML::Emitter out;
  out.SetIndent(2);
  EmitMessage(message, out);
  return absl::StrCat(out.c_str(), "\n");
}

}  // namespace traind::spec
