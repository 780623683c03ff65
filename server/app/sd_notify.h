#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace traind::server::app {

// Tells systemd about the state of the service, e.g. "READY=1". `socket` is the value of NOTIFY_SOCKET (a path, or @name for an abstract
// one); empty: not started by systemd, nothing to do. Losing such a message is no reason to stop, so there is no error.
void SdNotify(const std::string& socket, absl::string_view state);

}  // namespace traind::server::app
