#include "common/rpc/default_socket.h"

#include "common/os/user_dirs.h"

namespace traind::rpc {

std::string DefaultSocket(unsigned uid, const std::function<std::optional<std::string>(const char* name)>& variable) {
  return os::DefaultDirs(uid, variable).socket;
}

}  // namespace traind::rpc
