#include "client/lib/transport.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/lib/errors.h"
#include "common/base/status.h"
#include "common/rpc/status.h"
#include "grpc/support/time.h"

namespace traind::client {

absl::Duration Backoff(int attempt) {
  return std::min(absl::Milliseconds(100) * (int64_t{1} << std::clamp(attempt - 1, 0, 10)), absl::Seconds(2));
}

void SetDeadline(grpc::ClientContext& context, absl::Duration timeout) {
  // The monotonic clock, so that setting the wall clock does not end calls.
  const int64_t milliseconds = std::max<int64_t>(absl::ToInt64Milliseconds(timeout), 0);
  context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(milliseconds, GPR_TIMESPAN)));
}

Transport::Transport(std::string address, std::shared_ptr<grpc::Channel> channel, const Clock& clock, Interrupt& interrupt,
                     std::function<bool(absl::Duration)> sleep)
    : address_(std::move(address)), channel_(std::move(channel)), clock_(clock), interrupt_(interrupt), sleep_(std::move(sleep)) {}

absl::Status Transport::Call(absl::Duration deadline, const std::function<grpc::Status(grpc::ClientContext&)>& call) const {
  for (int attempt = 1;; ++attempt) {
    grpc::ClientContext context;
    SetDeadline(context, deadline);
    grpc::Status status;
    {
      const Interrupt::Scope scope(interrupt_, [&context] { context.TryCancel(); });
      status = call(context);
    }
    if (status.ok()) return absl::OkStatus();
    if (interrupt_.triggered()) return InterruptedError();
    if (status.error_code() != grpc::StatusCode::UNAVAILABLE || attempt == kMaxAttempts) return Describe(status);
    if (!sleep_(Backoff(attempt))) return InterruptedError();
  }
}

absl::Status Transport::Describe(const grpc::Status& status) const {
  const absl::Status described = rpc::FromGrpc(status);
  if (ReasonOf(described).has_value()) return described;
  if (absl::IsUnavailable(described)) return UnreachableError(address_, described.message());
  if (absl::IsDeadlineExceeded(described)) {
    return absl::DeadlineExceededError(absl::StrCat(
        "traind at ", address_, " did not answer in time; whether it did what was asked is not known, and asking again is safe"));
  }
  return described;
}

}  // namespace traind::client
