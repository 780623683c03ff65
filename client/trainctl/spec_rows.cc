#include "client/trainctl/spec_rows.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/spec/field_meta.h"
#include "common/spec/scalar.h"

namespace traind::client::trainctl {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class Flattener {
 public:
  explicit Flattener(const spec::Origins& origins) : origins_(origins) {}

  void AddBlock(const Message& message, const std::string& path) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) AddField(message, *field, spec::JoinPath(path, field->name()));
  }
  std::vector<SpecRow> Take() { return std::move(rows_); }

 private:
  void AddField(const Message& message, const FieldDescriptor& field, const std::string& path) {
    const Reflection& reflection = *message.GetReflection();
    if (field.is_map()) {
      for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
        const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
        const FieldDescriptor& key = *field.message_type()->map_key();
        Add(spec::JoinPath(path, spec::ScalarText(spec::LoadScalar(entry, key))),
            spec::ScalarText(spec::LoadScalar(entry, *field.message_type()->map_value())));
      }
    } else if (spec::IsBlockList(field)) {
      for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
        AddBlock(reflection.GetRepeatedMessage(message, &field, i), spec::ElementPath(path, i));
      }
    } else if (spec::IsBlock(field)) {
      AddBlock(reflection.GetMessage(message, &field), path);
    } else if (spec::IsScalarList(field)) {
      std::vector<std::string> values;
      for (int i = 0; i < reflection.FieldSize(message, &field); ++i)
        values.push_back(spec::ScalarText(spec::LoadScalar(message, field, i)));
      Add(path, absl::StrCat("[", absl::StrJoin(values, ", "), "]"));
    } else {
      Add(path, spec::ScalarText(spec::LoadScalar(message, field)));
    }
  }

  void Add(const std::string& path, std::string value) { rows_.push_back({path, std::move(value), spec::OriginOf(origins_, path)}); }

  const spec::Origins& origins_;
  std::vector<SpecRow> rows_;
};

}  // namespace

std::vector<SpecRow> SpecRows(const v1::JobSpec& spec, const spec::Origins& origins) {
  Flattener flattener(origins);
  flattener.AddBlock(spec, "");
  return flattener.Take();
}

}  // namespace traind::client::trainctl
