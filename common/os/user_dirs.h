// Where a daemon puts its socket and state when nobody says: system folders for root, the user's own for others.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace traind::os {

struct UserDirs {
  std::string socket;
  std::string state;
  int http_port = 0;
};

// Pure. `env` looks up an environment variable; nothing for one that is not set.
using EnvLookup = std::function<std::optional<std::string>(const char* name)>;
UserDirs DefaultDirs(unsigned uid, const EnvLookup& env);

}  // namespace traind::os
