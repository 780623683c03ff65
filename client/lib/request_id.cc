#include "client/lib/request_id.h"

#include <cstdint>
#include <random>

#include "absl/strings/str_format.h"

namespace traind::client {

std::string NewRequestId() {
  std::random_device device;
  const auto word = [&device] { return static_cast<uint32_t>(device()); };
  const uint32_t version = (word() & 0x0fffu) | 0x4000u;
  const uint32_t variant = (word() & 0x3fffu) | 0x8000u;
  return absl::StrFormat("%08x-%04x-%04x-%04x-%04x%08x", word(), word() & 0xffffu, version, variant, word() & 0xffffu, word());
}

}  // namespace traind::client
