// Errors that the client itself makes, told apart by their reason (ReasonOf). Pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace traind::client {

inline constexpr char kInterrupted[] = "INTERRUPTED";   // CANCELLED: the user stopped waiting
inline constexpr char kUnreachable[] = "UNREACHABLE";   // UNAVAILABLE: nobody answers at the address
inline constexpr char kStreamLost[] = "STREAM_LOST";    // UNAVAILABLE: a stream broke off and could not be taken up again
inline constexpr char kWaitTimeout[] = "WAIT_TIMEOUT";  // DEADLINE_EXCEEDED: the time that the caller would wait is over

absl::Status InterruptedError();
absl::Status UnreachableError(const std::string& address, absl::string_view cause);
absl::Status StreamLostError(const std::string& address, absl::Duration silence, absl::string_view cause);
absl::Status WaitTimeoutError(absl::Duration timeout);

}  // namespace traind::client
