#include "common/os/socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/files.h"

namespace traind::os {
namespace {

constexpr int kBacklog = 128;

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("the socket path ", path, " is too long: ", path.size(), " bytes, at most ",
                                                   sizeof(address.sun_path) - 1, "; choose a shorter one"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

absl::StatusOr<UniqueFd> NewSocket(int flags) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!fd.valid()) return ErrnoStatus(errno, "making a unix socket");
  return fd;
}

absl::Status RemoveStale(const std::string& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return errno == ENOENT ? absl::OkStatus() : ErrnoStatus(errno, absl::StrCat("looking at ", path));
  if (!S_ISSOCK(facts.st_mode)) return absl::AlreadyExistsError(absl::StrCat(path, " is there and is not a socket; choose another path"));
  if (SomebodyListens(path)) {
    return absl::AlreadyExistsError(absl::StrCat("another process listens on ", path, "; stop it or choose another socket"));
  }
  if (::unlink(path.c_str()) != 0) return ErrnoStatus(errno, absl::StrCat("removing the stale socket ", path));
  return absl::OkStatus();
}

}  // namespace

bool SomebodyListens(const std::string& path) {
  const absl::StatusOr<sockaddr_un> address = AddressOf(path);
  const absl::StatusOr<UniqueFd> fd = NewSocket(SOCK_NONBLOCK);
  if (!address.ok() || !fd.ok()) return false;
  if (::connect(fd->get(), reinterpret_cast<const sockaddr*>(&*address), sizeof(*address)) == 0) return true;
  // Every other error, a full backlog above all, comes from a socket that is not ours to replace.
  return errno != ECONNREFUSED && errno != ENOENT;
}

absl::StatusOr<UniqueFd> ListenUnix(const std::string& path, mode_t mode) {
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  RETURN_IF_ERROR(RemoveStale(path));
  ASSIGN_OR_RETURN(UniqueFd fd, NewSocket(0));
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return ErrnoStatus(errno, absl::StrCat("binding the socket ", path));
  }
  // Nobody can connect before listen, so the mode is in force before the first peer.
  if (::chmod(path.c_str(), mode) != 0) return ErrnoStatus(errno, absl::StrCat("setting the mode of ", path));
  if (::listen(fd.get(), kBacklog) != 0) return ErrnoStatus(errno, absl::StrCat("listening on ", path));
  return fd;
}

absl::StatusOr<PeerCredentials> CredentialsOf(int socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return ErrnoStatus(errno, "reading who connected");
  return PeerCredentials{credentials.pid, credentials.uid, credentials.gid};
}

}  // namespace traind::os
