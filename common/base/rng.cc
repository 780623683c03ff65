#include "common/base/rng.h"

#include <cmath>
#include <numbers>

namespace traind {
namespace {

uint64_t Mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Ten rounds of Philox-4x32 on counter (index, 0) with a 64-bit key.
std::array<uint32_t, 4> PhiloxBlock(uint64_t key, uint64_t index) {
  std::array<uint32_t, 4> x = {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), 0, 0};
  auto k0 = static_cast<uint32_t>(key);
  auto k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * x[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<uint32_t>(p1), static_cast<uint32_t>(p0 >> 32) ^ x[3] ^ k1,
         static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

}  // namespace

uint64_t HashKey(uint64_t a, uint64_t b) { return Mix(Mix(a) + b); }

uint64_t HashKey(uint64_t a, absl::string_view text) {
  uint64_t key = HashKey(a, text.size());
  for (const char c : text) key = HashKey(key, static_cast<unsigned char>(c));
  return key;
}

RandomStream::RandomStream(uint64_t seed, uint64_t rank, absl::string_view stream) : key_(HashKey(HashKey(seed, rank), stream)) {}

uint32_t RandomStream::operator()() {
  const uint64_t index = position_ / 4;
  if (index != block_index_) {
    block_ = PhiloxBlock(key_, index);
    block_index_ = index;
  }
  return block_[position_++ % 4];
}

double RandomStream::Uniform() {
  const uint64_t high = (*this)() >> 5;
  const uint64_t low = (*this)() >> 6;
  return static_cast<double>((high << 26) | low) * 0x1.0p-53;
}

uint64_t RandomStream::UniformInt(uint64_t n) {
  const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  for (;;) {
    const uint64_t high = (*this)();
    const uint64_t word = (high << 32) | (*this)();
    if (word < limit) return word % n;
  }
}

double RandomStream::Normal() {
  // No value is kept between calls, so that the position stays the whole state.
  const double u = 1.0 - Uniform();
  const double v = Uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

void RandomStream::Seek(uint64_t position) {
  position_ = position;
  block_index_ = UINT64_MAX;
}

}  // namespace traind
