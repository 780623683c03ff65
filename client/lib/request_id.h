// Names of requests, by which a repeated one is known.
#pragma once

#include <string>

namespace traind::client {

// A random UUID (version 4), 36 characters. Thread-safe.
std::string NewRequestId();

}  // namespace traind::client
