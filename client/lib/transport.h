// Calls over one channel: deadlines, and retries where they are safe. Internal to client/lib.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/lib/interrupt.h"
#include "common/base/clock.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"

namespace traind::client {

inline constexpr int kMaxAttempts = 5;
inline constexpr absl::Duration kCallDeadline = absl::Seconds(10);

// Before attempt `attempt` + 1: 100 ms, doubling, at most 2 s. Pure.
absl::Duration Backoff(int attempt);

// As the deadline of `context`, from now on.
void SetDeadline(grpc::ClientContext& context, absl::Duration timeout);

// Thread-safe. The clock and the interrupt are borrowed.
class Transport {
 public:
  // `sleep` waits between attempts; false means interrupted.
  Transport(std::string address, std::shared_ptr<grpc::Channel> channel, const Clock& clock, Interrupt& interrupt,
            std::function<bool(absl::Duration)> sleep);

  // Repeats `call` on UNAVAILABLE, at most kMaxAttempts times in all: it must be one that may come twice, that is, a read or one with a
  // request id.
  absl::Status Call(absl::Duration deadline, const std::function<grpc::Status(grpc::ClientContext&)>& call) const;

  // What a failed call means to the caller: address and what to do where nobody answered.
  absl::Status Describe(const grpc::Status& status) const;

  bool Sleep(absl::Duration duration) const { return sleep_(duration); }
  const std::string& address() const { return address_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  const Clock& clock() const { return clock_; }
  Interrupt& interrupt() const { return interrupt_; }

 private:
  const std::string address_;
  const std::shared_ptr<grpc::Channel> channel_;
  const Clock& clock_;
  Interrupt& interrupt_;
  const std::function<bool(absl::Duration)> sleep_;
};

}  // namespace traind::client
