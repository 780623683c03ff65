#pragma once

#include <string>
#include <vector>

#include "client/trainctl/session.h"

namespace traind::client::trainctl {

// One run of trainctl: parses, does, prints, and returns the exit code. `arguments` without the program's name.
int Run(const Environment& environment, std::vector<std::string> arguments);

}  // namespace traind::client::trainctl
