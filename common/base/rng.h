// Counter-based random streams (Philox-4x32-10; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). A stream is
// named by (run seed, rank, stream name); its n-th block depends on nothing else, so that results do not depend on threads, on the
// order of calls elsewhere, or on how often a run was interrupted.
#pragma once

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace traind {

// Mixes words into one 64-bit key (SplitMix64 finaliser over a running sum).
uint64_t HashKey(uint64_t a, uint64_t b);
uint64_t HashKey(uint64_t a, absl::string_view text);

// Satisfies UniformRandomBitGenerator. Cheap to copy; its position is one number. Thread-compatible.
class RandomStream {
 public:
  using result_type = uint32_t;

  RandomStream(uint64_t seed, uint64_t rank, absl::string_view stream);
  explicit RandomStream(uint64_t key) : key_(key) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return UINT32_MAX; }

  uint32_t operator()();
  // In [0, 1), 53 bits.
  double Uniform();
  // In {0, …, n-1}, n ≥ 1, unbiased.
  uint64_t UniformInt(uint64_t n);
  // Standard normal (Box-Muller; four words each).
  double Normal();

  // The position after the words drawn so far, and back to it: the whole state of a stream.
  uint64_t position() const { return position_; }
  void Seek(uint64_t position);

 private:
  uint64_t key_ = 0;
  uint64_t position_ = 0;  // words drawn
  std::array<uint32_t, 4> block_{};
  uint64_t block_index_ = UINT64_MAX;
};

}  // namespace traind
