// Prioritised replay of n-step windows (Schaul et al., 2016). It stores states, not observations, 48 bytes a step. The state after a step
// is the next record of the ring, and the last state of an episode has a record of its own, so that no state is stored twice and no window
// crosses an episode's end or the ring's seam. A window is computed when it is drawn.
//
// A window ends before an exploratory action, as the traces of Watkins's Q(λ) do (Sutton and Barto, 2018, §12.10): what follows one says
// what that action was worth, not the policy. Without the cut a good action that pays off only if followed up (a position that is held
// longer than its cost) looks bad for as long as behaviour rarely follows it up, and is never tried again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/rng.h"
#include "worker/envs/environment.h"
#include "worker/rl/sum_tree.h"

namespace traind::worker::rl {

// What was done in a state.
struct Choice {
  int action = 0;
  bool exploratory = false;  // not what the policy being learned would have done
};

struct ReplayOptions {
  int64_t capacity = 2;  // records; an episode of L steps takes L + 1
  int64_t n_step = 1;
  double gamma = 0.99;
  bool cut_exploratory = true;
  double alpha = 0;       // exponent of priorities; 0 draws uniformly
  double epsilon = 1e-6;  // added to each priority, so that none is forgotten
};

// A window as drawn.
struct Transition {
  // The record it starts at, and how often that slot had been written then.
  int64_t slot = 0;
  uint32_t generation = 0;
  double probability = 0;
  envs::EnvState state;
  int action = 0;
  double value = 0;     // R_m
  double discount = 0;  // γ^m, 0 where the window terminated
  int64_t steps = 0;    // m
  envs::EnvState next;
};

// Thread-compatible.
class Replay {
 public:
  explicit Replay(const ReplayOptions& options);

  // Steps come in the order in which they were made; `next` is used where the outcome ended the episode. A new window gets the highest
  // priority seen so far.
  void Add(const envs::EnvState& state, Choice choice, double reward, const envs::StepOutcome& outcome, const envs::EnvState& next);

  // With replacement, one draw from each of batch.size() equal parts of the total priority. windows() ≥ 1.
  void Draw(RandomStream& random, std::span<Transition> batch) const;

  // Write-back after an update; a window whose slot was written again meanwhile is left alone. Priorities ≥ 0; one that is not finite is
  // taken as the highest seen.
  void UpdatePriorities(std::span<const Transition> batch, std::span<const double> priorities);

  // Complete windows held: every step of an ended episode, and of a running one those with n successors.
  int64_t windows() const { return windows_; }
  // Write-backs dropped because the slot held another window by then.
  int64_t stale_priorities() const { return stale_priorities_; }
  // Of a ring of `capacity` records, bytes.
  static uint64_t BytesFor(int64_t capacity);

 private:
  enum class Kind : uint8_t { kNone, kStep, kTerminated, kTruncated, kFinal };
  struct Record {
    envs::EnvState state;
    double reward = 0;
    Choice choice;
    Kind kind = Kind::kNone;
    uint32_t generation = 0;
  };

  int64_t Append(const envs::EnvState& state, Choice choice, double reward, Kind kind);
  // The record at `slot` starts a complete window from now on.
  void Complete(int64_t slot);
  int64_t After(int64_t slot, int64_t steps = 1) const;
  void FillWindow(int64_t slot, Transition& transition) const;

  const ReplayOptions options_;
  std::vector<Record> ring_;
  SumTree tree_;
  int64_t newest_ = -1;
  int64_t waiting_ = 0;  // steps of the running episode whose window is not complete
  int64_t windows_ = 0;
  int64_t stale_priorities_ = 0;
  double highest_ = 0;  // priority before the exponent; 0: none seen
};

}  // namespace traind::worker::rl
