#include "common/spec/node_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/spec/field_meta.h"
#include "common/spec/scalar.h"
#include "common/spec/text.h"

namespace traind::spec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int kMaxVisited = 100'000;
// More than any map field allows; maps are filled at a cost linear in their size.
constexpr size_t kMaxMapEntries = 1000;

std::string Described(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map:
      return "a block of keys";
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Scalar:
      return absl::StrCat("\"", Printable(node.Scalar()), "\"");
    default:
      return "nothing";
  }
}

bool IsQuoted(const YAML::Node& node) { return node.Tag() == "!" || absl::EndsWith(node.Tag(), ":str"); }

std::string ListExample(const FieldDescriptor& field) {
  if (IsBlockList(field)) return "a list of blocks, each starting with \"- \"";
  const std::string& example = MetaOf(field).default_value();
  return absl::StrCat("a ", TypeText(field), " in brackets", example.empty() ? "" : absl::StrCat(" such as ", example));
}

int LineOf(const YAML::Node& node) { return node.Mark().is_null() ? -1 : node.Mark().line; }

}  // namespace

NodeReader::NodeReader(std::string source, Lines lines, QuotedNumbers quoted_numbers, const Descriptor& root, Origins& origins,
                       std::vector<FieldError>& errors)
    : source_(std::move(source)), lines_(lines), quoted_numbers_(quoted_numbers), root_(root), origins_(origins), errors_(errors) {}

std::string NodeReader::Where(int line) const {
  return lines_ == Lines::kKnown && line >= 0 ? absl::StrCat(source_, ":", line + 1) : source_;
}

void NodeReader::Record(const std::string& path, int line) { origins_[path] = Where(line); }

void NodeReader::AddError(const std::string& path, int line, const std::string& message) {
  errors_.push_back({path, absl::StrCat(message, " (", Where(line), ")")});
}

void NodeReader::AddUnknown(const std::string& name, const std::string& path, int line, const Descriptor& message) {
  const std::string near = ClosestName(name, FieldNames(message));
  if (!near.empty()) return AddError(path, line, absl::StrCat("unknown key; did you mean ", near, "?"));
  const std::vector<std::string> elsewhere = PathsEndingIn(root_, name);
  if (!elsewhere.empty()) return AddError(path, line, absl::StrCat("unknown key here; did you mean ", elsewhere.front(), "?"));
  AddError(path, line, absl::StrCat("unknown key; remove it"));
}

bool NodeReader::Visit() {
  if (errors_.size() >= kMaxErrors) return false;
  if (++visited_ <= kMaxVisited) return true;
  if (visited_ == kMaxVisited + 1) AddError("", -1, absl::StrCat("has more than ", kMaxVisited, " values, aliases counted"));
  return false;
}

void NodeReader::ReadBlock(const YAML::Node& node, const std::string& path, Message& message) {
  if (!node.IsMap()) {
    return AddError(path, LineOf(node), absl::StrCat("expected a block of \"key: value\" lines, found ", Described(node)));
  }
  std::vector<std::string> seen;
  for (const auto& entry : node) ReadKey(entry.first, entry.second, path, seen, message);
}

void NodeReader::ReadKey(const YAML::Node& key, const YAML::Node& value, const std::string& path, std::vector<std::string>& seen,
                         Message& message) {
  if (!Visit()) return;
  const int line = LineOf(key);
  if (!key.IsScalar()) return AddError(path, line, absl::StrCat("expected a key, found ", Described(key)));
  const std::string& name = key.Scalar();
  const std::string key_path = JoinPath(path, Printable(name));
  if (std::find(seen.begin(), seen.end(), name) != seen.end()) return AddError(key_path, line, "is set twice in this block; keep one");
  seen.push_back(name);
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr) return AddUnknown(name, key_path, line, *message.GetDescriptor());
  ReadField(value, key_path, line, *field, message);
}

bool NodeReader::CheckTask(const FieldDescriptor& field, const std::string& path, int line, const Message& message) {
  if (field.real_containing_oneof() == nullptr) return true;
  const FieldDescriptor* set = message.GetReflection()->GetOneofFieldDescriptor(message, field.real_containing_oneof());
  if (set == nullptr || set == &field) return true;
  AddError(path, line,
           absl::StrCat("a job has one ", field.real_containing_oneof()->name(), ", and ", set->name(),
                        " is set already; remove one of the two blocks"));
  return false;
}

void NodeReader::ReadField(const YAML::Node& node, const std::string& path, int line, const FieldDescriptor& field, Message& message) {
  if (!Visit() || !CheckTask(field, path, line, message)) return;
  if (IsBlock(field)) {
    // A block that is present but empty still says something: "dqn:" alone chooses the task.
    Message& block = *message.GetReflection()->MutableMessage(&message, &field);
    const bool empty = node.IsNull() || (node.IsMap() && node.size() == 0);
    return empty ? Record(path, line) : ReadBlock(node, path, block);
  }
  if (field.is_map()) return ReadMap(node, path, line, field, message);
  if (field.is_repeated()) return ReadList(node, path, line, field, message);
  if (ReadScalar(node, path, line, field, message)) Record(path, line);
}

void NodeReader::ReadMap(const YAML::Node& node, const std::string& path, int line, const FieldDescriptor& field, Message& message) {
  if (node.IsNull()) return;
  if (!node.IsMap()) return AddError(path, line, absl::StrCat("expected a block of \"name: text\" lines, found ", Described(node)));
  if (node.size() > kMaxMapEntries)
    return AddError(path, line, absl::StrCat("has ", node.size(), " entries; at most ", kMaxMapEntries, " are read"));
  std::vector<std::string> seen;
  for (const auto& entry : node) {
    const int entry_line = LineOf(entry.first);
    if (!entry.first.IsScalar()) {
      AddError(path, entry_line, absl::StrCat("expected a name, found ", Described(entry.first)));
      continue;
    }
    const std::string& key = entry.first.Scalar();
    const std::string key_path = JoinPath(path, Printable(key));
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      AddError(key_path, entry_line, "is set twice in this block; keep one");
      continue;
    }
    seen.push_back(key);
    ReadMapEntry(entry.second, key, key_path, entry_line, field, message);
  }
}

void NodeReader::ReadMapEntry(const YAML::Node& node, const std::string& key, const std::string& path, int line,
                              const FieldDescriptor& field, Message& message) {
  if (!Visit()) return;
  if (!node.IsScalar()) return AddError(path, line, absl::StrCat("expected a text, found ", Described(node)));
  StoreMapEntry(field, key, node.Scalar(), message);
  Record(path, line);
}

void NodeReader::ReadList(const YAML::Node& node, const std::string& path, int line, const FieldDescriptor& field, Message& message) {
  if (!node.IsSequence()) return AddError(path, line, absl::StrCat("expected ", ListExample(field), ", found ", Described(node)));
  if (node.size() == 0) {
    const std::string& standard = MetaOf(field).default_value();
    return AddError(path, line,
                    absl::StrCat("is empty; write at least one element, or leave the key out",
                                 standard.empty() ? "" : absl::StrCat(" for the default ", standard)));
  }
  message.GetReflection()->ClearField(&message, &field);
  EraseWithin(path, origins_);
  if (!IsBlockList(field)) Record(path, line);
  int index = 0;
  for (const YAML::Node& element : node) {
    if (!Visit()) return;
    const std::string element_path = ElementPath(path, index++);
    if (IsBlockList(field)) {
      ReadBlock(element, element_path, *message.GetReflection()->AddMessage(&message, &field));
    } else {
      ReadScalar(element, element_path, LineOf(element), field, message);
    }
  }
}

bool NodeReader::ReadScalar(const YAML::Node& node, const std::string& path, int line, const FieldDescriptor& field, Message& message) {
  if (node.IsNull()) {
    AddError(path, line, "has no value; write one, or remove the key");
    return false;
  }
  if (!node.IsScalar()) {
    AddError(path, line, absl::StrCat("expected a ", field.is_repeated() ? "single value" : TypeText(field), ", found ", Described(node)));
    return false;
  }
  const bool quoted = IsQuoted(node) && quoted_numbers_ == QuotedNumbers::kNo;
  const absl::StatusOr<ScalarValue> value = ParseScalar(field, node.Scalar(), quoted);
  if (!value.ok()) {
    AddError(path, line, std::string(value.status().message()));
    return false;
  }
  StoreScalar(field, *value, message);
  return true;
}

}  // namespace traind::spec
