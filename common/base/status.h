// Status helpers in the shape of Abseil's later releases, which Debian 12 does not have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#define TRAIND_CONCAT_INNER_(a, b) a##b
#define TRAIND_CONCAT_(a, b) TRAIND_CONCAT_INNER_(a, b)

#define RETURN_IF_ERROR(expr)                       \
  do {                                              \
    if (auto status_ = (expr); !status_.ok()) {     \
      return ::traind::internal::AsStatus(status_); \
    }                                               \
  } while (false)

#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_IMPL_(TRAIND_CONCAT_(result_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_IMPL_(result, lhs, expr) \
  auto result = (expr);                           \
  if (!result.ok()) return result.status();       \
  lhs = *std::move(result)

namespace traind {

// One thing wrong with one field. `path` is a dotted field path ("dqn.learning_rate", "data.sources[0].path"); `message` says what
// is wrong and what to do.
struct FieldError {
  std::string path;
  std::string message;
  bool operator==(const FieldError&) const = default;
};

// INVALID_ARGUMENT with every field error attached, all of them in the message too, a line each. OK if there are none.
absl::Status FieldErrorsStatus(const std::vector<FieldError>& errors);
std::vector<FieldError> FieldErrorsOf(const absl::Status& status);

// Attaches a machine-readable reason (UPPER_SNAKE, docs/reference/errors.md); the message stays as it is.
absl::Status WithReason(absl::Status status, absl::string_view reason);
std::optional<std::string> ReasonOf(const absl::Status& status);

// "doing: message" with code and payloads kept. Used once, at the layer that knows the object. OK stays OK.
absl::Status Annotate(const absl::Status& status, absl::string_view doing);

namespace internal {
inline absl::Status AsStatus(absl::Status status) { return status; }
template <typename T>
absl::Status AsStatus(const absl::StatusOr<T>& result) {
  return result.status();
}
}  // namespace internal
}  // namespace traind
