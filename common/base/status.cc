#include "common/base/status.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace traind {
namespace {

constexpr absl::string_view kFieldErrorsUrl = "traind/field_errors";
constexpr absl::string_view kReasonUrl = "traind/reason";
// Field paths and messages are printable text, so control characters separate them safely.
constexpr char kFieldSeparator = '\x1f';
constexpr char kRecordSeparator = '\x1e';

std::optional<std::string> Payload(const absl::Status& status, absl::string_view url) {
  const auto payload = status.GetPayload(url);  // absl::optional, which Debian builds apart from std::optional
  if (!payload.has_value()) return std::nullopt;
  return std::string(*payload);
}

}  // namespace

absl::Status FieldErrorsStatus(const std::vector<FieldError>& errors) {
  if (errors.empty()) return absl::OkStatus();
  std::string message;
  std::string payload;
  for (const FieldError& error : errors) {
    absl::StrAppend(&message, message.empty() ? "" : "\n", error.path, error.path.empty() ? "" : ": ", error.message);
    absl::StrAppend(&payload, error.path, std::string(1, kFieldSeparator), error.message, std::string(1, kRecordSeparator));
  }
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kFieldErrorsUrl, absl::Cord(payload));
  return status;
}

std::vector<FieldError> FieldErrorsOf(const absl::Status& status) {
  std::vector<FieldError> errors;
  const std::optional<std::string> payload = Payload(status, kFieldErrorsUrl);
  if (!payload.has_value()) return errors;
  for (const absl::string_view record : absl::StrSplit(*payload, kRecordSeparator, absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(record, absl::MaxSplits(kFieldSeparator, 1));
    errors.push_back({parts.first, parts.second});
  }
  return errors;
}

absl::Status WithReason(absl::Status status, absl::string_view reason) {
  if (!status.ok()) status.SetPayload(kReasonUrl, absl::Cord(reason));
  return status;
}

std::optional<std::string> ReasonOf(const absl::Status& status) { return Payload(status, kReasonUrl); }

absl::Status Annotate(const absl::Status& status, absl::string_view doing) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrCat(doing, ": ", status.message()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { annotated.SetPayload(url, payload); });
  return annotated;
}

}  // namespace traind
