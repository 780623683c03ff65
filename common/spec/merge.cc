#include "common/spec/merge.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/spec/field_meta.h"
#include "common/spec/scalar.h"

namespace traind::spec {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void MergeMap(const Message& upper, const FieldDescriptor& field, Message& lower) {
  const Reflection& reflection = *upper.GetReflection();
  for (int i = 0; i < reflection.FieldSize(upper, &field); ++i) {
    const Message& entry = reflection.GetRepeatedMessage(upper, &field, i);
    StoreMapEntry(field, std::get<std::string>(LoadScalar(entry, *field.message_type()->map_key())),
                  LoadScalar(entry, *field.message_type()->map_value()), lower);
  }
}

void ReplaceList(const Message& upper, const FieldDescriptor& field, Message& lower) {
  const Reflection& reflection = *upper.GetReflection();
  reflection.ClearField(&lower, &field);
  for (int i = 0; i < reflection.FieldSize(upper, &field); ++i) {
    if (IsBlockList(field)) {
      reflection.AddMessage(&lower, &field)->CopyFrom(reflection.GetRepeatedMessage(upper, &field, i));
    } else {
      StoreScalar(field, LoadScalar(upper, field, i), lower);
    }
  }
}

class Merger {
 public:
  Merger(const Origins& upper_origins, Origins& lower_origins, std::vector<FieldError>& errors)
      : upper_origins_(upper_origins), lower_origins_(lower_origins), errors_(errors) {}

  void Merge(const Message& upper, const std::string& path, Message& lower) {
    std::vector<const FieldDescriptor*> fields;
    upper.GetReflection()->ListFields(upper, &fields);
    for (const FieldDescriptor* field : fields) MergeField(upper, *field, JoinPath(path, field->name()), lower);
  }

 private:
  void MergeField(const Message& upper, const FieldDescriptor& field, const std::string& path, Message& lower) {
    const Reflection& reflection = *upper.GetReflection();
    if (IsOtherTask(field, path, lower)) return;
    if (field.is_map()) return MergeMap(upper, field, lower);
    if (field.is_repeated()) {
      EraseWithin(path, lower_origins_);
      return ReplaceList(upper, field, lower);
    }
    if (IsBlock(field)) return Merge(reflection.GetMessage(upper, &field), path, *reflection.MutableMessage(&lower, &field));
    StoreScalar(field, LoadScalar(upper, field), lower);
  }

  bool IsOtherTask(const FieldDescriptor& field, const std::string& path, const Message& lower) {
    if (field.real_containing_oneof() == nullptr) return false;
    const FieldDescriptor* set = lower.GetReflection()->GetOneofFieldDescriptor(lower, field.real_containing_oneof());
    if (set == nullptr || set == &field) return false;
    errors_.push_back(
        {path, absl::StrCat("a job has one ", field.real_containing_oneof()->name(), ", but ", OriginOf(upper_origins_, path), " sets ",
                            field.name(), " and ", OriginOf(lower_origins_, set->name()), " sets ", set->name(), "; make them agree")});
    return true;
  }

  const Origins& upper_origins_;
  Origins& lower_origins_;
  std::vector<FieldError>& errors_;
};

}  // namespace

std::vector<FieldError> MergeOver(const Message& upper, const Origins& upper_origins, Message& lower, Origins& lower_origins) {
  std::vector<FieldError> errors;
  Merger(upper_origins, lower_origins, errors).Merge(upper, "", lower);
  for (const auto& [path, origin] : upper_origins) lower_origins[path] = origin;
  return errors;
}

}  // namespace traind::spec
