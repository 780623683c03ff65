// Replay that stores states, not observations: 32 bytes a step. The state after a step is the next record of the ring, and the last state
// of an episode has a record of its own, so that no state is stored twice and no transition crosses an episode's end or the ring's seam.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/rng.h"
#include "worker/envs/environment.h"

namespace traind::worker::rl {

struct Transition {
  envs::EnvState state;
  int action = 0;
  float reward = 0;
  bool terminated = false;  // a truncated one bootstraps from `next`, its last state before the reset
  envs::EnvState next;
};

// Thread-compatible.
class IndexReplay {
 public:
  // `capacity` records, at least 2; an episode of L steps takes L + 1.
  explicit IndexReplay(int64_t capacity);

  // Steps come in the order in which they were made; `next` is used where the outcome ended the episode.
  void Add(const envs::EnvState& state, int action, float reward, const envs::StepOutcome& outcome, const envs::EnvState& next);

  // Uniform, with replacement, over all complete transitions, of which there is one at least.
  void Sample(RandomStream& random, std::vector<Transition>& batch) const;

  // Memory of a ring of `capacity` records.
  static uint64_t BytesFor(int64_t capacity) { return static_cast<uint64_t>(capacity) * sizeof(Record); }

  // Complete transitions held.
  int64_t transitions() const { return transitions_; }

 private:
  enum class Kind : uint8_t { kNone, kStep, kTerminated, kFinal };
  struct Record {
    envs::EnvState state;
    float reward = 0;
    int16_t action = 0;
    Kind kind = Kind::kNone;
  };

  void Append(const Record& record);
  bool IsComplete(int64_t slot) const;
  int64_t After(int64_t slot) const { return slot + 1 == static_cast<int64_t>(ring_.size()) ? 0 : slot + 1; }

  std::vector<Record> ring_;
  int64_t newest_ = -1;
  int64_t used_ = 0;
  int64_t transitions_ = 0;
};

}  // namespace traind::worker::rl
