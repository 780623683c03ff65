#include "client/lib/errors.h"

#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace traind::client {

absl::Status InterruptedError() { return WithReason(absl::CancelledError("interrupted"), kInterrupted); }

absl::Status UnreachableError(const std::string& address, absl::string_view cause) {
  return WithReason(
      absl::UnavailableError(absl::StrCat("traind does not answer at ", address, " (", cause, "); start it with `traind --socket ", address,
                                          "`, or name another socket with --address or TRAINCTL_ADDRESS")),
      kUnreachable);
}

absl::Status StreamLostError(const std::string& address, absl::Duration silence, absl::string_view cause) {
  return WithReason(absl::UnavailableError(absl::StrCat("the connection to traind at ", address, " broke off and did not come back within ",
                                                        absl::FormatDuration(silence), " (", cause,
                                                        "); how the job ended is not known here, ask again when traind is back")),
                    kStreamLost);
}

absl::Status WaitTimeoutError(absl::Duration timeout) {
  return WithReason(absl::DeadlineExceededError(absl::StrCat("the job had not ended after ", absl::FormatDuration(timeout))), kWaitTimeout);
}

}  // namespace traind::client
