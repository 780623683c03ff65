#include <map>
#include <vector>

#include "common/base/rng.h"
#include "tests/parity/recipes/recipes.h"
#include "worker/rl/replay.h"

namespace traind::parity {
namespace {

namespace rl = worker::rl;

// The steps of a stream and how each ended. The newest one counts as truncated, as in the reference, so that every window has an end; ours
// would wait for it.
struct Stream {
  torch::Tensor reward, terminated, truncated;
  int64_t steps() const { return reward.size(0); }
  worker::envs::StepOutcome At(int64_t step) const {
    const auto ended = terminated[step].item<bool>();
    return {.reward = reward[step].item<double>(),
            .terminated = ended,
            .truncated = !ended && (truncated[step].item<bool>() || step + 1 == steps())};
  }
};

// The state before step t, and the one after it where an episode ends there.
worker::envs::EnvState Before(int64_t step) { return {.row = step}; }
worker::envs::EnvState Final(int64_t step) { return {.row = -step - 1}; }
// The step after which `state` was observed.
int64_t ObservedAfter(const worker::envs::EnvState& state) { return state.row < 0 ? -state.row - 1 : state.row - 1; }

// A ring with room for the steps from `oldest` on, so that it has turned over as the reference's has, whatever came before.
rl::Replay Fill(const Stream& stream, int64_t oldest, int64_t n, double gamma) {
  int64_t records = 0;
  for (int64_t step = oldest; step < stream.steps(); ++step) records += stream.At(step).ended() ? 2 : 1;
  rl::Replay replay({.capacity = records, .n_step = n, .gamma = gamma});
  for (int64_t step = 0; step < stream.steps(); ++step) replay.Add(Before(step), {}, stream.At(step).reward, stream.At(step), Final(step));
  return replay;
}

// Of the steps from `oldest` on, by their first one. Without priorities each part of a draw of as many windows as there are is one of them.
std::map<int64_t, rl::Transition> Windows(const rl::Replay& replay, int64_t oldest) {
  std::vector<rl::Transition> drawn(static_cast<size_t>(replay.windows()));
  RandomStream random(1, 0, "windows");
  replay.Draw(random, drawn);
  std::map<int64_t, rl::Transition> windows;
  for (const rl::Transition& window : drawn) {
    if (window.state.row >= oldest) windows[window.state.row] = window;
  }
  return windows;
}

}  // namespace

void NStep(const Fixture& fixture, Comparison& comparison) {
  const Stream stream = {fixture.In("reward"), fixture.In("terminated"), fixture.In("truncated")};
  const torch::Tensor& starts = fixture.Get("out.start_step");
  const auto oldest = starts.min().item<int64_t>();
  const std::map<int64_t, rl::Transition> windows =
      Windows(Fill(stream, oldest, fixture.Arg<int64_t>("n"), fixture.Arg<double>("gamma")), oldest);
  std::vector<int64_t> start_step, bootstrap_step, going_on;
  std::vector<double> value, terminated, discount;
  for (const auto& [start, window] : windows) {
    start_step.push_back(start);
    bootstrap_step.push_back(ObservedAfter(window.next));
    value.push_back(window.value);
    terminated.push_back(window.discount == 0 ? 1 : 0);
    if (window.discount == 0) continue;
    going_on.push_back(static_cast<int64_t>(start_step.size()) - 1);
    discount.push_back(window.discount);
  }
  const auto numbers = [](const std::vector<double>& values) { return torch::tensor(values, torch::kFloat64); };
  const auto integers = [](const std::vector<int64_t>& values) { return torch::tensor(values, torch::kInt64); };
  comparison.Compare("out.start_step", integers(start_step));
  comparison.Compare("out.bootstrap_step", integers(bootstrap_step));
  comparison.Compare("out.return", numbers(value));
  comparison.Compare("out.terminated", numbers(terminated));
  comparison.CompareRows("out.discount", integers(going_on), numbers(discount), "they terminate, and our window then holds 0");
}

}  // namespace traind::parity
