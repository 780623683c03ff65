// One life of the daemon, from an effective configuration to an orderly end.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/obs/logger.h"
#include "common/obs/metrics.h"
#include "common/os/lock_file.h"
#include "server/app/core.h"
#include "server/app/front.h"

namespace traind::server::app {

// Thread-compatible.
class Daemon {
 public:
  // Serves when it returns. An error is a sentence for the operator; after it nothing runs and nothing but the folders is left.
  // FAILED_PRECONDITION: another daemon has the state folder.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const CoreOptions& options, const Clock& clock, obs::Logger& log);
  ~Daemon();

  // Ends streams with their resume tokens and waits for calls, for at most `grace`. Workers run on. Idempotent.
  void Stop(absl::Duration grace);

  const std::string& http_address() const { return front_->http_address(); }

 private:
  explicit Daemon(os::LockFile lock) : lock_(std::move(lock)) {}

  const os::LockFile lock_;  // first to come, last to go
  obs::Metrics metrics_;
  std::unique_ptr<Core> core_;
  std::unique_ptr<Front> front_;
};

}  // namespace traind::server::app
