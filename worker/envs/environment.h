// Environments as the trainers see them. Observations are not stored: a state is a small record from which the environment's
// ObservationSource gathers the observation, so that a replay of 10⁶ transitions of a 60-bar window fits in tens of megabytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/rng.h"

namespace traind::worker::envs {

// A state in 24 bytes. `row` names exogenous data (a bar of an instrument), `local` what the agent's own actions made of it (position,
// unrealised result, …). Its meaning belongs to the environment that made it.
struct EnvState {
  int64_t row = 0;
  std::array<float, 4> local{};
  bool operator==(const EnvState&) const = default;
};

// What a step led to. Terminated: the process ended there, nothing follows. Truncated: we stopped looking (time limit, end of fold);
// the value of the state reached still counts. state() after the step is that final state, before any reset.
struct StepOutcome {
  double reward = 0;
  bool terminated = false;
  bool truncated = false;
  bool ended() const { return terminated || truncated; }
};

// Turns states into observations and legal actions. Immutable, thread-safe, outlives the environments and replays that use it.
class ObservationSource {
 public:
  virtual ~ObservationSource() = default;
  virtual int64_t observation_size() const = 0;
  virtual int num_actions() const = 0;
  // Writes float32 [states.size(), observation_size()], row-major.
  virtual void Gather(std::span<const EnvState> states, std::span<float> out) const = 0;
  // Writes [num_actions()], 1 = allowed, at least one of them.
  virtual void ActionMask(const EnvState& state, std::span<uint8_t> allowed) const = 0;
};

// One episode at a time. Thread-compatible.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual const ObservationSource& observations() const = 0;
  // Starts an episode. A training environment draws its start from `random`; an evaluation one starts at the beginning.
  virtual void Reset(RandomStream& random) = 0;
  virtual EnvState state() const = 0;
  // `action` in [0, num_actions()), allowed by the mask. Not called after an outcome that ended the episode, before Reset.
  virtual StepOutcome Step(int action) = 0;
};

}  // namespace traind::worker::envs
