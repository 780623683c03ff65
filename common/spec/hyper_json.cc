#include "common/spec/hyper_json.h"

#include <algorithm>
#include <array>
#include <exception>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/spec/assign.h"
#include "common/spec/field_meta.h"
#include "common/spec/node_reader.h"
#include "common/spec/text.h"
#include "common/spec/yaml_text.h"
#include "nlohmann/json.hpp"

namespace traind::spec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using nlohmann::json;

constexpr int kMaxDepth = 32;
constexpr std::array<const char*, 7> kWrappers = {"params",      "best_params",     "parameters",       "config",
                                                  "best_config", "hyperparameters", "train_loop_config"};

// Throws json::exception, with a message of its own for what JSON allows and we do not.
json ParseOrThrow(const std::string& text) {
  std::vector<std::set<std::string>> keys;  // of the open objects
  std::string refused;
  const auto check = [&](int depth, json::parse_event_t event, const json& parsed) {
    if (depth > kMaxDepth) refused = absl::StrCat("nested deeper than ", kMaxDepth, " levels");
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.empty() && !keys.back().insert(parsed.get<std::string>()).second) {
      refused = absl::StrCat("\"", Printable(parsed.get<std::string>()), "\" is given twice");
    }
    return depth <= kMaxDepth;
  };
  json parsed = json::parse(text, check);
  if (!refused.empty()) throw json::other_error::create(501, refused, &parsed);
  return parsed;
}

// [{"name": …, "value": …}, …] as an object; anything else as it is.
json FromPairs(const json& value) {
  if (!value.is_array() || value.empty()) return value;
  json object = json::object();
  for (const json& pair : value) {
    if (!pair.is_object() || !pair.contains("name") || !pair["name"].is_string() || !pair.contains("value")) return value;
    object[pair["name"].get<std::string>()] = pair["value"];
  }
  return object;
}

class HyperReader {
 public:
  HyperReader(const std::string& source, const std::string& task, Message& message, Origins& origins, std::vector<FieldError>& errors)
      : reader_(source, NodeReader::Lines::kUnknown, NodeReader::QuotedNumbers::kYes, *message.GetDescriptor(), origins, errors),
        task_(task),
        message_(message),
        schema_(*message.GetDescriptor()) {}

  void Read(json object) {
    for (int level = 0; level < kMaxDepth; ++level) {
      object = FromPairs(object);
      const auto wrapper =
          std::find_if(kWrappers.begin(), kWrappers.end(), [&](const char* name) { return object.is_object() && object.contains(name); });
      if (wrapper == kWrappers.end()) break;
      object = json(object[*wrapper]);
    }
    if (!object.is_object()) {
      return reader_.AddError("", kUnknownLine,
                              absl::StrCat("expected a JSON object {\"name\": value, …}, found ", Printable(object.dump())));
    }
    for (const auto& [name, value] : object.items()) ReadOne(name, value);
  }

 private:
  void ReadOne(const std::string& name, const json& value) {
    const std::string path = Resolve(absl::StrReplaceAll(name, {{"/", "."}}));
    if (path.empty()) return;
    if (!read_.insert(path).second) return reader_.AddError(path, kUnknownLine, "is given twice under different names; keep one");
    const FieldDescriptor& field = *FindFieldAt(path, schema_);
    const bool holds_value = value.is_object() && value.contains("value") && !IsBlock(field) && !field.is_map();
    const absl::StatusOr<YAML::Node> node = ToYamlNode(holds_value ? value["value"] : value, field);
    if (!node.ok()) return reader_.AddError(path, kUnknownLine, std::string(node.status().message()));
    Assign(FindTarget(path, message_, reader_), *node, path, reader_);
  }

  // JSON is YAML, once it holds no character that YAML must not.
  static absl::StatusOr<YAML::Node> ToYamlNode(const json& value, const FieldDescriptor& field) {
    const json& inner = value;
    // Some optimisers write every value as text, lists too.
    if (inner.is_string() && field.is_repeated()) return ParseYamlText(inner.get<std::string>());
    return ParseYamlText(inner.dump(-1, ' ', false, json::error_handler_t::replace));
  }

  // The field path that `name` means; "" with an error if there is none or more than one.
  std::string Resolve(const std::string& name) {
    if (FindFieldAt(name, schema_) != nullptr) return name;
    const std::string in_task = JoinPath(task_, name);
    if (!task_.empty() && FindFieldAt(in_task, schema_) != nullptr) return in_task;
    const std::vector<std::string> candidates = Candidates(name);
    if (candidates.size() == 1) return candidates.front();
    if (candidates.empty()) {
      AddUnknown(name);
    } else {
      reader_.AddError(Printable(name), kUnknownLine,
                       absl::StrCat("is ambiguous; write one of ", absl::StrJoin(candidates, ", "), " in full"));
    }
    return "";
  }

  // Fields named `name` anywhere but in the blocks of other tasks.
  std::vector<std::string> Candidates(const std::string& name) const {
    std::vector<std::string> candidates;
    for (const std::string& path : PathsEndingIn(schema_, name)) {
      const FieldDescriptor* top = FindFieldAt(path.substr(0, path.find('.')), schema_);
      const bool other_task = !task_.empty() && top->real_containing_oneof() != nullptr && top->name() != task_;
      if (!other_task) candidates.push_back(path);
    }
    return candidates;
  }

  void AddUnknown(const std::string& name) {
    const FieldDescriptor* task = task_.empty() ? nullptr : schema_.FindFieldByName(task_);
    const size_t dot = name.rfind('.');
    const FieldDescriptor* block = dot == std::string::npos ? task : FindFieldAt(name.substr(0, dot), schema_);
    const bool known_block = block != nullptr && IsBlock(*block);
    reader_.AddUnknown(dot == std::string::npos ? name : name.substr(dot + 1), Printable(name), kUnknownLine,
                       known_block ? *block->message_type() : schema_);
  }

  NodeReader reader_;
  const std::string& task_;
  Message& message_;
  const Descriptor& schema_;
  std::set<std::string> read_;
};

}  // namespace

std::vector<FieldError> ReadHyperJson(absl::string_view text, const std::string& source, const std::string& task, Message& message,
                                      Origins& origins) {
  const absl::Status readable = CheckText(text);
  if (!readable.ok()) return {{"", absl::StrCat(source, " ", readable.message())}};
  std::vector<FieldError> errors;
  try {
    HyperReader(source, task, message, origins, errors).Read(ParseOrThrow(std::string(text)));
  } catch (const std::exception& error) {  // of nlohmann::json: "[json.exception.parse_error.101] parse error at line 1, …"
    absl::string_view what = error.what();
    if (absl::StartsWith(what, "[")) what = what.substr(std::min(what.find("] ") + 2, what.size()));
    errors.push_back({"", absl::StrCat(source, " cannot be read as JSON: ", what.substr(0, 200))});
  }
  return errors;
}

}  // namespace traind::spec
