#include "common/spec/to_params.h"

#include <algorithm>

#include "common/spec/field_meta.h"
#include "common/spec/origins.h"
#include "common/spec/scalar.h"

namespace traind::spec {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

class Flattener {
 public:
  Flattener(const std::vector<std::string>& user_set_paths, Params& params) : user_set_paths_(user_set_paths), params_(params) {}

  void Add(const Message& message, const std::string& path) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) AddField(message, *field, JoinPath(path, field->name()));
  }

 private:
  void AddField(const Message& message, const FieldDescriptor& field, const std::string& path) {
    const auto* reflection = message.GetReflection();
    if (field.is_map()) {
      for (int i = 0; i < reflection->FieldSize(message, &field); ++i) {
        const Message& entry = reflection->GetRepeatedMessage(message, &field, i);
        const auto* descriptor = entry.GetDescriptor();
        Set(JoinPath(path, entry.GetReflection()->GetString(entry, descriptor->map_key())),
            entry.GetReflection()->GetString(entry, descriptor->map_value()));
      }
    } else if (IsBlockList(field)) {
      for (int i = 0; i < reflection->FieldSize(message, &field); ++i) {
        Add(reflection->GetRepeatedMessage(message, &field, i), ElementPath(path, i));
      }
    } else if (IsBlock(field)) {
      Add(reflection->GetMessage(message, &field), path);
    } else if (field.is_repeated()) {
      AddList(message, field, path);
    } else {
      std::visit([&](const auto& value) { Set(path, value); }, LoadScalar(message, field));
    }
  }

  void AddList(const Message& message, const FieldDescriptor& field, const std::string& path) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    const auto collect = [&]<typename T>(std::vector<T> values) {
      for (int i = 0; i < size; ++i) values.push_back(std::get<T>(LoadScalar(message, field, i)));
      Set(path, std::move(values));
    };
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return collect(std::vector<std::string>());
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return collect(std::vector<double>());
      default:
        return collect(std::vector<int64_t>());
    }
  }

  void Set(const std::string& path, ParamValue value) {
    // A set list sets its elements; a set block, which may be an empty one, does not set the defaults in it.
    const bool by_user = std::any_of(user_set_paths_.begin(), user_set_paths_.end(), [&](const std::string& set) {
      return path == set || (IsWithin(path, set) && path[set.size()] == '[');
    });
    params_.Set(path, std::move(value), by_user);
  }

  const std::vector<std::string>& user_set_paths_;
  Params& params_;
};

}  // namespace

Params ToParams(const v1::JobSpec& normalised, const std::vector<std::string>& user_set_paths) {
  Params params;
  Flattener(user_set_paths, params).Add(normalised, "");
  return params;
}

}  // namespace traind::spec
