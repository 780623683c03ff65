#include "client/trainctl/json_value.h"

#include "absl/strings/str_format.h"
#include "client/trainctl/text.h"

namespace traind::client::trainctl {

const Json& At(const Json& json, std::initializer_list<std::string> path) {
  static const Json kNone;
  const Json* value = &json;
  for (const std::string& name : path) {
    if (!value->is_object()) return kNone;
    const auto it = value->find(name);
    if (it == value->end()) return kNone;
    value = &*it;
  }
  return *value;
}

std::vector<std::string> MemberNames(const Json& object) {
  std::vector<std::string> names;
  if (!object.is_object()) return names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

std::string TextAt(const Json& json, std::initializer_list<std::string> path) {
  const Json& value = At(json, path);
  return value.is_string() ? Clean(value.get<std::string>()) : "";
}

std::string CountAt(const Json& json, std::initializer_list<std::string> path) {
  const Json& value = At(json, path);
  return value.is_number_integer() ? CountText(value.get<int64_t>()) : "";
}

std::string PercentAt(const Json& json, std::initializer_list<std::string> path) {
  const Json& value = At(json, path);
  return value.is_number() ? PercentText(value.get<double>()) : "";
}

std::string DecimalAt(const Json& json, std::initializer_list<std::string> path) {
  const Json& value = At(json, path);
  return value.is_number() ? absl::StrFormat("%.2f", value.get<double>()) : "";
}

}  // namespace traind::client::trainctl
