// Messages that come one after another.
#pragma once

#include <optional>

#include "absl/status/statusor.h"

namespace traind::client {

// Survives lost connections: it goes on after the last message it gave out. Thread-compatible; destroying it ends the call.
template <typename Message>
class Stream {
 public:
  virtual ~Stream() = default;

  // The next message, waiting for it; nothing after the end record, which is given out too. Heartbeats are left out.
  // UNAVAILABLE, reason UNREACHABLE: no first connection; reason STREAM_LOST: broken off for good. CANCELLED, reason INTERRUPTED.
  // DEADLINE_EXCEEDED, reason WAIT_TIMEOUT. Everything else is the server's answer: NOT_FOUND, RESOURCE_EXHAUSTED, …
  virtual absl::StatusOr<std::optional<Message>> Next() = 0;
};

}  // namespace traind::client
