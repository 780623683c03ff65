#include "server/api/random_id.h"

#include <sys/random.h>

namespace traind::server::api {

uint64_t Random64() {
  uint64_t random = 0;
  // A short read of at most 256 bytes cannot happen once the kernel's pool is filled, which it is long before a daemon runs.
  while (getrandom(&random, sizeof(random), 0) != sizeof(random)) {
  }
  return random;
}

}  // namespace traind::server::api
