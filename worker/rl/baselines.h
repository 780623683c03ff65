// Simple rules that trade through the same environment as the policy, at the same costs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/rng.h"
#include "worker/envs/environment_set.h"

namespace traind::worker::rl {

// Chooses an action from what anybody could know at the bar; `allowed` has one entry per action.
using Rule = std::function<int(const envs::TradingView& view, const std::vector<uint8_t>& allowed, RandomStream& random)>;

struct Baseline {
  std::string name;
  Rule rule;
};

// buy_and_hold: fully invested; flat: no position; random: any allowed action each bar; sign: in the direction of the last bar. Where a
// position is not among the actions, the nearest allowed one is taken.
std::vector<Baseline> Baselines();

}  // namespace traind::worker::rl
