// Who is behind each connection of a UnixServer.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/base/mutex.h"
#include "common/os/socket.h"

namespace traind::rpc {

// Connections are known by their descriptor, which is how gRPC names a peer that was handed to it ("fd:7"). gRPC closes a descriptor only
// when the last call of its connection is gone, so while a handler runs its number cannot belong to somebody else. Thread-safe.
class PeerTable {
 public:
  // A new connection with an old number replaces its entry: there are never more entries than descriptors.
  void Set(int fd, const os::PeerCredentials& peer);
  // From grpc::ServerContext::peer(); nothing for a peer of another kind.
  std::optional<os::PeerCredentials> Find(const std::string& peer) const;

 private:
  mutable Mutex mutex_;
  std::map<int, os::PeerCredentials> peers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::rpc
