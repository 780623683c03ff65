// A gRPC server on a unix socket that knows who calls: connections are accepted here, their credentials asked of the kernel, and only
// allowed ones handed to gRPC.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/os/socket.h"
#include "common/os/unique_fd.h"
#include "common/rpc/peer_table.h"
#include "grpcpp/impl/service_type.h"
#include "grpcpp/server.h"

namespace traind::rpc {

struct UnixServerOptions {
  std::string path;
  mode_t mode = 0660;
  // Beside root and the daemon's own user, who are always allowed. A user belongs to a group also by a supplementary membership.
  std::set<uid_t> uids;
  std::set<gid_t> gids;
  std::vector<grpc::Service*> services;  // borrowed
  // Full names of the services for which the health service answers, beside the server as a whole.
  std::vector<std::string> health_names;
  bool reflection = false;
  PeerTable* peers = nullptr;  // borrowed; learns who is behind each connection before gRPC sees it
  // Told about each connection that was refused, on the accepting thread.
  std::function<void(const os::PeerCredentials&)> on_refused;
};

// Thread-safe.
class UnixServer {
 public:
  // Answers when it returns. ALREADY_EXISTS: somebody listens there; INVALID_ARGUMENT: path too long; PERMISSION_DENIED, NOT_FOUND: of the
  // folder.
  static absl::StatusOr<std::unique_ptr<UnixServer>> Start(UnixServerOptions options);
  ~UnixServer();

  // The health service answers this from now on.
  void SetServing(bool serving);
  // Accepts no more connections; waits until the calls at work have ended, at most until `grace` has passed, then cancels them. It returns
  // only if every handler finishes its call once that is cancelled. Idempotent.
  void Shutdown(absl::Duration grace);

 private:
  explicit UnixServer(UnixServerOptions options) : options_(std::move(options)) {}
  absl::Status Listen();
  void AcceptLoop();
  void Accept();
  bool Allowed(int connection, const os::PeerCredentials& peer) const;

  const UnixServerOptions options_;
  os::UniqueFd listener_;
  os::UniqueFd wake_;  // eventfd that ends the accept loop
  std::unique_ptr<grpc::Server> server_;
  std::thread thread_;
};

}  // namespace traind::rpc
