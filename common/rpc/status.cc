#include "common/rpc/status.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace traind::rpc {
namespace {

constexpr char kDomain[] = "traind";
// Of the 8 KiB of headers (limits.h): the message travels percent-encoded beside the details, which hold it again and travel in base64.
constexpr size_t kMaxEncodedMessage = 1200;
constexpr size_t kMaxDetails = 4700;

size_t EncodedSize(char c) { return c >= 0x20 && c <= 0x7e && c != '%' ? 1 : 3; }
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// At most kMaxEncodedMessage once encoded; characters stay whole.
std::string Cut(absl::string_view text) {
  size_t size = 0;
  size_t end = 0;
  for (; end < text.size() && size <= kMaxEncodedMessage; ++end) size += EncodedSize(text[end]);
  if (size <= kMaxEncodedMessage) return std::string(text);
  do --end;
  while (end > 0 && IsContinuation(text[end]));
  return absl::StrCat(text.substr(0, end), "… (", text.size() - end, " more bytes)");
}

// As many errors as fit into `room` bytes; the last one counts the others.
google::rpc::BadRequest Violations(const std::vector<FieldError>& errors, size_t room) {
  google::rpc::BadRequest request;
  for (size_t i = 0; i < errors.size(); ++i) {
    auto* violation = request.add_field_violations();
    violation->set_field(errors[i].path);
    violation->set_description(errors[i].message);
    if (request.ByteSizeLong() <= room) continue;
    violation->set_field("");
    violation->set_description(absl::StrCat("and ", errors.size() - i, " more errors"));
    break;
  }
  return request;
}

std::optional<google::rpc::Status> DetailsOf(const grpc::Status& status) {
  google::rpc::Status details;
  if (status.error_details().empty() || !details.ParseFromString(status.error_details())) return std::nullopt;
  return details;
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
  if (!errors.empty()) details.add_details()->PackFrom(Violations(errors, kMaxDetails - std::min(details.ByteSizeLong(), kMaxDetails)));
  return {code, message, details.SerializeAsString()};
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  const std::optional<google::rpc::Status> details = DetailsOf(status);
  if (!details.has_value()) return result;
  for (const google::protobuf::Any& any : details->details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest request;
    if (any.UnpackTo(&info)) result = WithReason(result, info.reason());
    if (!any.UnpackTo(&request)) continue;
    std::vector<FieldError> errors;
    for (const auto& violation : request.field_violations()) errors.push_back({violation.field(), violation.description()});
    // The message stays as it was sent: it may name more than the details could hold.
    FieldErrorsStatus(errors).ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { result.SetPayload(url, payload); });
  }
  return result;
}

std::map<std::string, std::string> MetadataOf(const grpc::Status& status) {
  const std::optional<google::rpc::Status> details = DetailsOf(status);
  if (!details.has_value()) return {};
  for (const google::protobuf::Any& any : details->details()) {
    google::rpc::ErrorInfo info;
    if (any.UnpackTo(&info)) return {info.metadata().begin(), info.metadata().end()};
  }
  return {};
}

grpc::Status Unimplemented(const std::string& method) {
  return ToGrpc(WithReason(absl::UnimplementedError(absl::StrCat(method, " is not available in this version of traind")), "UNIMPLEMENTED"));
}

}  // namespace traind::rpc
