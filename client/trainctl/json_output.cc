#include "client/trainctl/json_output.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "google/protobuf/util/json_util.h"
#include "nlohmann/json.hpp"

namespace traind::client::trainctl {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string text;
  // Fails only for messages with Any, which the API has none of.
  (void)google::protobuf::util::MessageToJsonString(message, &text, options);
  return Json::parse(text, nullptr, false);
}

// Texts from outside may hold bytes that are not UTF-8; they are replaced rather than refused.
std::string Dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string JsonText(const google::protobuf::Message& message) { return Dump(ToJson(message)); }

absl::StatusOr<std::string> JsonTextWith(const google::protobuf::Message& message, const std::string& member, const std::string& json) {
  Json object = ToJson(message);
  Json value = Json::parse(json, nullptr, false);
  if (value.is_discarded()) return absl::DataLossError(absl::StrCat("the ", member, " is not JSON; get it with trainctl artifact get"));
  object[member] = std::move(value);
  return Dump(object);
}

std::string JsonArrayText(const std::vector<const google::protobuf::Message*>& messages) {
  Json array = Json::array();
  for (const auto* message : messages) array.push_back(ToJson(*message));
  return Dump(array);
}

std::string JsonErrorText(const absl::Status& status, int exit_code) {
  Json fields = Json::array();
  for (const FieldError& error : FieldErrorsOf(status)) fields.push_back({{"path", error.path}, {"message", error.message}});
  const Json error = {{"code", absl::StatusCodeToString(status.code())},
                      {"reason", ReasonOf(status).value_or("")},
                      {"message", std::string(status.message())},
                      {"fieldErrors", fields},
                      {"exitCode", exit_code}};
  return Dump({{"error", error}});
}

}  // namespace traind::client::trainctl
