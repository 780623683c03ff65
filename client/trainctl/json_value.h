// Reading JSON whose shape is not trusted: what is missing or of another type shows as nothing. All functions are pure.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace traind::client::trainctl {

using Json = nlohmann::ordered_json;

// The member at a path of names; null where there is none. Refers into `json`.
const Json& At(const Json& json, std::initializer_list<std::string> path);
// Names of an object's members.
std::vector<std::string> MemberNames(const Json& object);

std::string TextAt(const Json& json, std::initializer_list<std::string> path);
// "1,234".
std::string CountAt(const Json& json, std::initializer_list<std::string> path);
// 0.123 as "12.3 %".
std::string PercentAt(const Json& json, std::initializer_list<std::string> path);
// "0.12".
std::string DecimalAt(const Json& json, std::initializer_list<std::string> path);

}  // namespace traind::client::trainctl
