// What a run says of its parts: not that they are switched on, but what they did, measured from the steps.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace traind::worker::train {

struct Component {
  std::string name;  // "noisy", "prefetch", …: the field that switches it where there is one
  bool enabled = true;
  std::string setting;                     // in words: "σ₀ 0.5", "3 steps"; empty where there is nothing to choose
  std::map<std::string, double> measured;  // figures of the steps so far, by name with unit: "stall_seconds"
  // A sentence, where an enabled part was measured to change nothing; empty while there is nothing to measure yet.
  std::string no_effect;
};

using Components = std::vector<Component>;

}  // namespace traind::worker::train
