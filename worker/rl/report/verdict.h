// The plain answer to "was it worth training?".
#pragma once

#include <string>
#include <vector>

#include "worker/rl/report/performance.h"

namespace traind::worker::rl {

struct NamedPerformance {
  std::string name;
  Performance performance;
};

struct Verdict {
  std::string best_baseline;
  bool beaten = false;
  double margin = 0;  // policy's net return minus the best baseline's
  std::string sentence;
};

// The best baseline is the one with the highest net return. `baselines` is not empty.
Verdict Judge(const Performance& policy, const std::vector<NamedPerformance>& baselines);

}  // namespace traind::worker::rl
