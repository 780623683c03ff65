#pragma once

#include <cstdint>

namespace traind::worker::shim {

// Processes of our control group that the kernel has killed for memory so far; 0 where there is no such count. Read before and after a
// worker's life, a difference tells an out-of-memory kill from any other SIGKILL.
int64_t OomKillCount();

}  // namespace traind::worker::shim
