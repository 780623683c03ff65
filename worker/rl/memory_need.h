// What a DQN job takes of limits.memory, known before anything is allocated.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "worker/rl/dqn_options.h"

namespace traind::worker::rl {

// Bytes.
struct MemoryNeed {
  uint64_t network = 0;  // online and target weights, gradients, Adam's two moments
  uint64_t replay = 0;
  uint64_t batch = 0;  // observations and activations of one update

  uint64_t total() const { return network + replay + batch; }
};

// For observations of `observation_size` numbers. Before the environment is known, 0 gives a lower bound. Pure.
MemoryNeed MemoryNeedOf(const DqnOptions& options, int64_t observation_size, int64_t num_actions);

// A field error of the largest part, cause CONFIG, when the need is above `allowed` bytes. Pure.
absl::Status CheckMemory(const DqnOptions& options, int64_t observation_size, int64_t num_actions, uint64_t allowed);

}  // namespace traind::worker::rl
