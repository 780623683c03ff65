#include "common/spec/assign.h"

#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/spec/field_meta.h"
#include "common/spec/text.h"

namespace traind::spec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// "sources[2]"
struct Segment {
  std::string name;
  std::optional<int> index;
};

// Takes the first segment off `path`; nothing if it is malformed.
std::optional<Segment> TakeSegment(absl::string_view& path) {
  const size_t dot = path.find('.');
  absl::string_view text = path.substr(0, dot);
  path = dot == absl::string_view::npos ? absl::string_view() : path.substr(dot + 1);
  Segment segment;
  const size_t bracket = text.find('[');
  if (bracket != absl::string_view::npos) {
    absl::string_view digits = text.substr(bracket + 1);
    int index = 0;
    if (!absl::ConsumeSuffix(&digits, "]") || !absl::SimpleAtoi(digits, &index) || index < 0) return std::nullopt;
    segment.index = index;
    text = text.substr(0, bracket);
  }
  if (text.empty()) return std::nullopt;
  segment.name = std::string(text);
  return segment;
}

// Element `index` of a list of blocks, made if it is the next one; nullptr with an error if it lies beyond.
Message* Element(const FieldDescriptor& field, int index, const std::string& path, Message& message, NodeReader& reader) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const int size = reflection.FieldSize(message, &field);
  if (index < size) return reflection.MutableRepeatedMessage(&message, &field, index);
  if (index == size) return reflection.AddMessage(&message, &field);
  reader.AddError(path, kUnknownLine,
                  absl::StrCat("does not exist: the list has ", size, " elements, and ", ElementPath(field.name(), size), " is the next"));
  return nullptr;
}

}  // namespace

Target FindTarget(absl::string_view path, Message& root, NodeReader& reader) {
  const std::string whole = Printable(path);
  Message* message = &root;
  std::string walked;
  while (true) {
    const std::optional<Segment> segment = TakeSegment(path);
    if (!segment.has_value()) {
      reader.AddError(whole, kUnknownLine, "is not a field path; write one such as dqn.learning_rate or data.sources[0].path");
      return {};
    }
    walked = JoinPath(walked, Printable(segment->name));
    const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(segment->name);
    if (field == nullptr) {
      reader.AddUnknown(segment->name, walked, kUnknownLine, *message->GetDescriptor());
      return {};
    }
    if (!reader.CheckTask(*field, walked, kUnknownLine, *message)) return {};
    if (field->is_map() && !segment->index.has_value()) return {message, field, std::string(path)};
    if (path.empty() && !segment->index.has_value()) return {message, field, ""};
    const bool indexed_block = IsBlockList(*field) && segment->index.has_value();
    if (!indexed_block && (!IsBlock(*field) || segment->index.has_value())) {
      reader.AddError(whole, kUnknownLine,
                      absl::StrCat(walked, " is a ", TypeText(*field),
                                   IsBlockList(*field) ? "; name one by its number, from [0]" : "; set it as a whole"));
      return {};
    }
    if (indexed_block) walked = ElementPath(walked, *segment->index);
    message = indexed_block ? Element(*field, *segment->index, walked, *message, reader)
                            : message->GetReflection()->MutableMessage(message, field);
    if (message == nullptr) return {};
    if (path.empty()) {
      reader.AddError(whole, kUnknownLine, "is a block; set one of its fields");
      return {};
    }
  }
}

void Assign(const Target& target, const YAML::Node& value, const std::string& path, NodeReader& reader) {
  if (target.message == nullptr) return;
  if (!target.map_key.empty()) return reader.ReadMapEntry(value, target.map_key, path, kUnknownLine, *target.field, *target.message);
  reader.ReadField(value, path, kUnknownLine, *target.field, *target.message);
}

const FieldDescriptor* FindFieldAt(absl::string_view path, const Descriptor& root) {
  const Descriptor* message = &root;
  while (true) {
    const std::optional<Segment> segment = TakeSegment(path);
    const FieldDescriptor* field = segment.has_value() ? message->FindFieldByName(segment->name) : nullptr;
    if (field == nullptr || path.empty() || field->is_map()) return field;
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return nullptr;
    message = field->message_type();
  }
}

}  // namespace traind::spec
