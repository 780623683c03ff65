#include "worker/rl/index_replay.h"

#include <algorithm>

namespace traind::worker::rl {

IndexReplay::IndexReplay(int64_t capacity) : ring_(static_cast<size_t>(std::max<int64_t>(2, capacity))) {}

// A step whose next state is in the ring: every step but the newest record.
bool IndexReplay::IsComplete(int64_t slot) const {
  const Kind kind = ring_[static_cast<size_t>(slot)].kind;
  return slot != newest_ && (kind == Kind::kStep || kind == Kind::kTerminated);
}

void IndexReplay::Append(const Record& record) {
  const int64_t slot = newest_ < 0 ? 0 : After(newest_);
  // The oldest record goes; if it was a step, it was complete.
  if (IsComplete(slot)) --transitions_;
  const int64_t before = newest_;
  ring_[static_cast<size_t>(slot)] = record;
  newest_ = slot;
  used_ = std::min<int64_t>(used_ + 1, static_cast<int64_t>(ring_.size()));
  // What was the newest now has its next state.
  if (before >= 0 && IsComplete(before)) ++transitions_;
}

void IndexReplay::Add(const envs::EnvState& state, int action, float reward, const envs::StepOutcome& outcome, const envs::EnvState& next) {
  Append({state, reward, static_cast<int16_t>(action), outcome.terminated ? Kind::kTerminated : Kind::kStep});
  if (outcome.ended()) Append({.state = next, .kind = Kind::kFinal});
}

void IndexReplay::Sample(RandomStream& random, std::vector<Transition>& batch) const {
  for (Transition& transition : batch) {
    int64_t slot = 0;
    do {
      slot = static_cast<int64_t>(random.UniformInt(static_cast<uint64_t>(used_)));
    } while (!IsComplete(slot));
    const Record& record = ring_[static_cast<size_t>(slot)];
    transition = {record.state, record.action, record.reward, record.kind == Kind::kTerminated,
                  ring_[static_cast<size_t>(After(slot))].state};
  }
}

}  // namespace traind::worker::rl
