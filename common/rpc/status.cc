#include "common/rpc/status.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace traind::rpc {
namespace {

constexpr char kDomain[] = "traind";
// Details travel in a header of the response; gRPC refuses headers beyond its metadata limit.
constexpr size_t kMaxViolations = 100;
constexpr size_t kMaxText = 4000;

std::string Cut(absl::string_view text) {
  return text.size() <= kMaxText ? std::string(text) : absl::StrCat(text.substr(0, kMaxText), "…");
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status, const std::map<std::string, std::string>& metadata) {
  if (status.ok()) return grpc::Status::OK;
  const auto code = static_cast<grpc::StatusCode>(status.code());
  const std::string message = Cut(status.message());
  google::rpc::Status details;
  details.set_code(code);
  details.set_message(message);
  const std::optional<std::string> reason = ReasonOf(status);
  if (reason.has_value() || !metadata.empty()) {
    google::rpc::ErrorInfo info;
    info.set_reason(reason.value_or(absl::StatusCodeToString(status.code())));
    info.set_domain(kDomain);
    for (const auto& [key, value] : metadata) (*info.mutable_metadata())[key] = value;
    details.add_details()->PackFrom(info);
  }
  const std::vector<FieldError> errors = FieldErrorsOf(status);
  if (!errors.empty()) {
    google::rpc::BadRequest request;
    for (size_t i = 0; i < errors.size() && i < kMaxViolations; ++i) {
      auto* violation = request.add_field_violations();
      violation->set_field(errors[i].path);
      violation->set_description(errors[i].message);
    }
    details.add_details()->PackFrom(request);
  }
  return {code, message, details.SerializeAsString()};
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return result;
  std::string reason;
  for (const google::protobuf::Any& any : details.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest request;
    if (any.UnpackTo(&info)) reason = info.reason();
    if (!any.UnpackTo(&request)) continue;
    std::vector<FieldError> errors;
    for (const auto& violation : request.field_violations()) errors.push_back({violation.field(), violation.description()});
    if (result.code() == absl::StatusCode::kInvalidArgument) result = FieldErrorsStatus(errors);
  }
  return reason.empty() ? result : WithReason(result, reason);
}

grpc::Status Unimplemented(const std::string& method) {
  return ToGrpc(WithReason(absl::UnimplementedError(absl::StrCat(method, " is not available in this version of traind")), "UNIMPLEMENTED"));
}

}  // namespace traind::rpc
