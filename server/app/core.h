// What is behind the listeners: the job store, the launcher of workers, and the supervisor between them.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/base/clock.h"
#include "common/obs/logger.h"
#include "common/obs/metrics.h"
#include "common/os/user_dirs.h"
#include "server/launcher/launcher.h"
#include "server/store/job_store.h"
#include "server/supervisor/supervisor.h"
#include "traind/config/v1/daemon_config.pb.h"

namespace traind::server::app {

struct CoreOptions {
  config::v1::DaemonConfig config;  // in force
  std::string worker_socket;
  std::string programs;  // folder of traind-shim and traind-worker
  os::EnvLookup env;     // of this process; workers get an allow-list of it
};

// Thread-compatible.
class Core {
 public:
  // Opens the store and reads it back. Nothing runs until Start. Errors are sentences that say what to do about the state folder.
  static absl::StatusOr<std::unique_ptr<Core>> Open(const CoreOptions& options, const Clock& clock, obs::Logger& log,
                                                    obs::Metrics& metrics);
  ~Core();

  // Takes over the workers of an earlier life of the daemon, then starts what waits.
  absl::Status Start();

  store::JobStore& store();
  supervisor::Supervisor& supervisor();

 private:
  struct Parts;
  explicit Core(std::unique_ptr<Parts> parts);
  const std::unique_ptr<Parts> parts_;
};

}  // namespace traind::server::app
