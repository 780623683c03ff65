// Where client and daemon meet when nobody says.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace traind::rpc {

// The daemon's default socket for this user (os::DefaultDirs). `variable` looks up an environment variable. Pure.
std::string DefaultSocket(unsigned uid, const std::function<std::optional<std::string>(const char* name)>& variable);

}  // namespace traind::rpc
