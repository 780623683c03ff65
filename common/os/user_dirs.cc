#include "common/os/user_dirs.h"

namespace traind::os {
namespace {

// The XDG rules: a variable that is empty or no absolute path counts as not set.
std::optional<std::string> FolderFrom(const EnvLookup& env, const char* name) {
  std::optional<std::string> folder = env(name);
  if (folder.has_value() && !folder->starts_with('/')) return std::nullopt;
  return folder;
}

}  // namespace

UserDirs DefaultDirs(unsigned uid, const EnvLookup& env) {
  if (uid == 0) return {"/run/traind/traind.sock", "/var/lib/traind", 9464};
  UserDirs dirs;
  if (const std::optional<std::string> state = FolderFrom(env, "XDG_STATE_HOME")) {
    dirs.state = *state + "/traind";
  } else if (const std::optional<std::string> home = FolderFrom(env, "HOME")) {
    dirs.state = *home + "/.local/state/traind";
  } else {
    dirs.state = "/tmp/traind-" + std::to_string(uid);
  }
  dirs.socket = FolderFrom(env, "XDG_RUNTIME_DIR").value_or(dirs.state) + "/traind.sock";
  return dirs;
}

}  // namespace traind::os
