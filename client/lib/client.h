// A client of one traind.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/lib/cluster_client.h"
#include "client/lib/interrupt.h"
#include "client/lib/job_client.h"
#include "common/base/clock.h"

namespace traind::client {

struct ClientOptions {
  // Path of the daemon's socket, also as "unix:/path".
  std::string address;
  const Clock* clock = nullptr;    // borrowed, as the interrupt
  Interrupt* interrupt = nullptr;  // ends every call that is under way
  // Waits between attempts and says whether it was not interrupted; Interrupt::SleepFor if empty.
  std::function<bool(absl::Duration)> sleep;
};

// Owns the connection. Thread-safe.
class Client {
 public:
  // Connects when first used. INVALID_ARGUMENT for an address that cannot be one.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(ClientOptions options);
  ~Client();

  JobClient& jobs() { return jobs_; }
  ClusterClient& cluster() { return cluster_; }
  const std::string& address() const;

 private:
  explicit Client(std::unique_ptr<Transport> transport);

  const std::unique_ptr<Transport> transport_;
  JobClient jobs_;
  ClusterClient cluster_;
};

}  // namespace traind::client
