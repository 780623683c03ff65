// Unix sockets: making a listener that never steals a living one, and knowing who connects.
#pragma once

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "common/os/unique_fd.h"

namespace traind::os {

// Binds and listens on `path` with mode `mode`. A socket file that nobody listens on is replaced.
// INVALID_ARGUMENT: the path is too long for a socket; ALREADY_EXISTS: somebody listens there, or it is another kind of file.
absl::StatusOr<UniqueFd> ListenUnix(const std::string& path, mode_t mode);

// Whether somebody accepts connections at `path`.
bool SomebodyListens(const std::string& path);

struct PeerCredentials {
  pid_t pid = 0;
  uid_t uid = 0;
  gid_t gid = 0;
};
// Of a connected unix socket, as the kernel recorded them when it connected.
absl::StatusOr<PeerCredentials> CredentialsOf(int socket);

}  // namespace traind::os
