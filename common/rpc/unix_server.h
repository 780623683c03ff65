// A gRPC server on a unix socket that knows who calls: connections are accepted here, their credentials asked of the kernel, and only
// allowed ones handed to gRPC.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/os/socket.h"
#include "common/os/unique_fd.h"
#include "grpcpp/impl/service_type.h"
#include "grpcpp/server.h"

namespace traind::rpc {

struct UnixServerOptions {
  std::string path;
  mode_t mode = 0660;
  // Beside root and the daemon's own user, who are always allowed.
  std::set<uid_t> uids;
  std::set<gid_t> gids;
  std::vector<grpc::Service*> services;  // borrowed
  bool reflection = false;
  // Told about each connection that was refused.
  std::function<void(const os::PeerCredentials&)> on_refused;
};

// Thread-safe.
class UnixServer {
 public:
  // ALREADY_EXISTS: somebody listens there; INVALID_ARGUMENT: path too long.
  static absl::StatusOr<std::unique_ptr<UnixServer>> Start(UnixServerOptions options);
  ~UnixServer();

  // The health service answers this from now on.
  void SetServing(bool serving);
  // Accepts no more connections; waits until the calls at work have ended, at most until `grace` has passed, then cancels them. Idempotent.
  void Shutdown(absl::Duration grace);

  // Who is behind a call, from grpc::ServerContext::peer(); nothing for a peer this server does not know.
  std::optional<os::PeerCredentials> PeerOf(const std::string& peer) const;

 private:
  explicit UnixServer(UnixServerOptions options) : options_(std::move(options)) {}
  absl::Status Listen();
  void AcceptLoop();
  bool Allowed(const os::PeerCredentials& peer) const;

  const UnixServerOptions options_;
  os::UniqueFd listener_;
  os::UniqueFd wake_;  // eventfd that ends the accept loop
  std::unique_ptr<grpc::Server> server_;
  std::thread thread_;
  mutable Mutex mutex_;
  // By descriptor, which is how gRPC names such a peer. A new connection with an old number replaces its entry.
  std::map<int, os::PeerCredentials> peers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::rpc
