#include "common/os/random.h"

#include <sys/random.h>

namespace traind::os {

uint64_t Random64() {
  uint64_t random = 0;
  // At most 256 bytes are never cut short once the kernel's pool is filled, which it is long before any of our processes runs.
  while (getrandom(&random, sizeof(random), 0) != sizeof(random)) {
  }
  return random;
}

}  // namespace traind::os
