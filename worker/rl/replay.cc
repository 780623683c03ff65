#include "worker/rl/replay.h"

#include <algorithm>
#include <bit>

#include "worker/rl/importance.h"
#include "worker/rl/n_step.h"

namespace traind::worker::rl {

Replay::Replay(const ReplayOptions& options)
    : options_(options),
      // Room for one window and the state after it, else none would ever be complete.
      ring_(static_cast<size_t>(std::max(options.capacity, options.n_step + 1))),
      tree_(static_cast<int64_t>(ring_.size())) {}

uint64_t Replay::BytesFor(int64_t capacity) {
  const auto records = static_cast<uint64_t>(capacity);
  return records * sizeof(Record) + 2 * std::bit_ceil(records) * sizeof(double);
}

int64_t Replay::After(int64_t slot, int64_t steps) const { return (slot + steps) % static_cast<int64_t>(ring_.size()); }

int64_t Replay::Append(const envs::EnvState& state, Choice choice, double reward, Kind kind) {
  const int64_t slot = newest_ < 0 ? 0 : After(newest_);
  // The oldest record goes.
  if (tree_.Get(slot) > 0) --windows_;
  tree_.Set(slot, 0);
  Record& record = ring_[static_cast<size_t>(slot)];
  record = {state, reward, choice, kind, record.generation + 1};
  newest_ = slot;
  return slot;
}

void Replay::Complete(int64_t slot) {
  tree_.Set(slot, DrawWeight(highest_ > 0 ? highest_ : 1.0, options_.alpha));
  ++windows_;
}

void Replay::Add(const envs::EnvState& state, Choice choice, double reward, const envs::StepOutcome& outcome, const envs::EnvState& next) {
  const auto size = static_cast<int64_t>(ring_.size());
  const Kind kind = outcome.terminated ? Kind::kTerminated : outcome.truncated ? Kind::kTruncated : Kind::kStep;
  const int64_t slot = Append(state, choice, reward, kind);
  ++waiting_;
  // This record is the state that the step n before it bootstraps from.
  if (waiting_ > options_.n_step) {
    Complete(After(slot, size - options_.n_step));
    --waiting_;
  }
  if (!outcome.ended()) return;
  const int64_t last = Append(next, {}, 0, Kind::kFinal);
  // The end completes what still waits; in a small ring the final state may just have taken the place of the oldest.
  for (waiting_ = std::min(waiting_, size - 1); waiting_ > 0; --waiting_) Complete(After(last, size - waiting_));
}

void Replay::FillWindow(int64_t slot, Transition& transition) const {
  const Record& first = ring_[static_cast<size_t>(slot)];
  NStepWindow window(options_.n_step, options_.gamma);
  int64_t at = slot;
  while (!window.full()) {
    const Record& record = ring_[static_cast<size_t>(at)];
    if (options_.cut_exploratory && at != slot && record.choice.exploratory) break;
    window.Add(record.reward, record.kind == Kind::kTerminated, record.kind == Kind::kTruncated);
    at = After(at);
  }
  transition = {.slot = slot,
                .generation = first.generation,
                .probability = tree_.Probability(slot),
                .state = first.state,
                .action = first.choice.action,
                .value = window.value(),
                .discount = window.discount(),
                .steps = window.steps(),
                .next = ring_[static_cast<size_t>(at)].state};
}

void Replay::Draw(RandomStream& random, std::span<Transition> batch) const {
  const double part = tree_.total() / static_cast<double>(batch.size());
  for (size_t i = 0; i < batch.size(); ++i) FillWindow(tree_.Find((static_cast<double>(i) + random.Uniform()) * part), batch[i]);
}

void Replay::UpdatePriorities(std::span<const Transition> batch, std::span<const double> priorities) {
  if (options_.alpha == 0) return;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (ring_[static_cast<size_t>(batch[i].slot)].generation != batch[i].generation) {
      ++stale_priorities_;
      continue;
    }
    const double priority = PriorityOf(priorities[i], options_.epsilon, highest_);
    highest_ = std::max(highest_, priority);
    tree_.Set(batch[i].slot, DrawWeight(priority, options_.alpha));
  }
}

}  // namespace traind::worker::rl
