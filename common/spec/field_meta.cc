#include "common/spec/field_meta.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "common/base/units.h"
#include "common/spec/scalar.h"

namespace traind::spec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

std::string BoundText(const options::v1::FieldMeta& meta, double bound) {
  if (meta.duration()) return absl::FormatDuration(absl::Seconds(bound));
  if (meta.size()) return FormatSizeText(static_cast<uint64_t>(bound));
  return NumberText(bound);
}

void CollectPaths(const Descriptor& message, const std::string& prefix, absl::string_view name, std::vector<std::string>& found) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    const std::string path = JoinPath(prefix, field.name());
    if (name == field.name()) found.push_back(path);
    if (IsBlock(field)) CollectPaths(*field.message_type(), path, name, found);
  }
}

}  // namespace

const options::v1::FieldMeta& MetaOf(const FieldDescriptor& field) { return field.options().GetExtension(options::v1::meta); }

bool IsBlock(const FieldDescriptor& field) { return !field.is_repeated() && field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE; }
bool IsBlockList(const FieldDescriptor& field) {
  return field.is_repeated() && !field.is_map() && field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}
bool IsScalarList(const FieldDescriptor& field) { return field.is_repeated() && field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE; }

std::string TypeText(const FieldDescriptor& field) {
  if (field.is_map()) return "map of names to text";
  if (IsBlock(field)) return "block";
  if (IsBlockList(field)) return "list of blocks";
  const options::v1::FieldMeta& meta = MetaOf(field);
  std::string type = meta.duration() ? "duration" : meta.size() ? "size" : "text";
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) type = "true or false";
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) type = "number";
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT32 || field.cpp_type() == FieldDescriptor::CPPTYPE_INT64) type = "whole number";
  return field.is_repeated() ? absl::StrCat("list of ", type, "s") : type;
}

std::string BoundsText(const FieldDescriptor& field) {
  const options::v1::FieldMeta& meta = MetaOf(field);
  const std::string min = meta.has_min() ? BoundText(meta, meta.min()) : "";
  const std::string max = meta.has_max() ? BoundText(meta, meta.max()) : "";
  if (meta.has_min() && meta.has_max() && !meta.min_exclusive() && !meta.max_exclusive()) return absl::StrCat(min, " to ", max);
  std::vector<std::string> parts;
  if (meta.has_min()) parts.push_back(absl::StrCat(meta.min_exclusive() ? "above " : "at least ", min));
  if (meta.has_max()) parts.push_back(absl::StrCat(meta.max_exclusive() ? "below " : "at most ", max));
  return absl::StrJoin(parts, ", ");
}

std::string RangeText(const FieldDescriptor& field) {
  const options::v1::FieldMeta& meta = MetaOf(field);
  if (meta.choices_size() > 0) return absl::StrJoin(meta.choices(), ", ");
  if (!meta.pattern_help().empty()) return meta.pattern_help();
  return BoundsText(field);
}

std::string JoinPath(absl::string_view block, absl::string_view name) { return absl::StrCat(block, block.empty() ? "" : ".", name); }

std::string ElementPath(absl::string_view list, int index) { return absl::StrCat(list, "[", index, "]"); }

std::vector<std::string> FieldNames(const Descriptor& message) {
  std::vector<std::string> names;
  for (int i = 0; i < message.field_count(); ++i) names.push_back(message.field(i)->name());
  return names;
}

std::vector<std::string> PathsEndingIn(const Descriptor& root, absl::string_view name) {
  std::vector<std::string> found;
  CollectPaths(root, "", name, found);
  return found;
}

}  // namespace traind::spec
