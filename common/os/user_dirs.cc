#include "common/os/user_dirs.h"

namespace traind::os {

UserDirs DefaultDirs(unsigned uid, const EnvLookup& env) {
  if (uid == 0) return {"/run/traind/traind.sock", "/var/lib/traind", 9464};
  const std::string home = env("HOME").value_or("/tmp");
  UserDirs dirs;
  dirs.state = env("XDG_STATE_HOME").value_or(home + "/.local/state") + "/traind";
  const std::optional<std::string> runtime = env("XDG_RUNTIME_DIR");
  dirs.socket = runtime.has_value() ? *runtime + "/traind.sock" : dirs.state + "/traind.sock";
  return dirs;
}

}  // namespace traind::os
