#include "server/api/set_paths.h"

#include <algorithm>

#include "common/spec/field_meta.h"

namespace traind::server::api {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void AddMessage(const Message& message, const std::string& path, std::vector<std::string>& paths);

void AddField(const Message& message, const FieldDescriptor& field, const std::string& path, std::vector<std::string>& paths) {
  const auto& reflection = *message.GetReflection();
  if (spec::IsBlock(field)) return AddMessage(reflection.GetMessage(message, &field), path, paths);
  if (!field.is_map() && !spec::IsBlockList(field)) return paths.push_back(path);
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const Message& element = reflection.GetRepeatedMessage(message, &field, i);
    if (field.is_map()) {
      paths.push_back(spec::JoinPath(path, element.GetReflection()->GetString(element, element.GetDescriptor()->map_key())));
    } else {
      AddMessage(element, spec::ElementPath(path, i), paths);
    }
  }
}

void AddMessage(const Message& message, const std::string& path, std::vector<std::string>& paths) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  if (fields.empty() && !path.empty()) paths.push_back(path);
  for (const FieldDescriptor* field : fields) AddField(message, *field, spec::JoinPath(path, field->name()), paths);
}

}  // namespace

std::vector<std::string> SetPaths(const Message& message) {
  std::vector<std::string> paths;
  AddMessage(message, "", paths);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace traind::server::api
