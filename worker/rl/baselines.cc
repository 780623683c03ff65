#include "worker/rl/baselines.h"

#include <cmath>
#include <cstdint>

namespace traind::worker::rl {
namespace {

int Nearest(double position, const envs::TradingView& view, const std::vector<uint8_t>& allowed) {
  int best = -1;
  for (int action = 0; action < static_cast<int>(view.targets.size()); ++action) {
    if (allowed[static_cast<size_t>(action)] == 0) continue;
    if (best < 0 ||
        std::abs(view.targets[static_cast<size_t>(action)] - position) < std::abs(view.targets[static_cast<size_t>(best)] - position)) {
      best = action;
    }
  }
  return best;
}

Rule Always(double position) {
  return [position](const envs::TradingView& view, const std::vector<uint8_t>& allowed, RandomStream&) {
    return Nearest(position, view, allowed);
  };
}

int Random(const envs::TradingView&, const std::vector<uint8_t>& allowed, RandomStream& random) {
  for (;;) {
    const auto action = static_cast<int>(random.UniformInt(allowed.size()));
    if (allowed[static_cast<size_t>(action)] != 0) return action;
  }
}

int Sign(const envs::TradingView& view, const std::vector<uint8_t>& allowed, RandomStream&) {
  const double direction = view.last_return > 0 ? 1 : view.last_return < 0 ? -1 : 0;
  return Nearest(direction, view, allowed);
}

}  // namespace

std::vector<Baseline> Baselines() { return {{"buy_and_hold", Always(1)}, {"flat", Always(0)}, {"random", Random}, {"sign", Sign}}; }

}  // namespace traind::worker::rl
