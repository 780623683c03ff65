#pragma once

#include <cstdint>

namespace traind::os {

// From the kernel's random pool. Thread-safe.
uint64_t Random64();

}  // namespace traind::os
