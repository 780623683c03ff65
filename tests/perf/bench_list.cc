#include "tests/perf/bench.h"

namespace traind::perf {

const std::vector<Bench>& Benches() {
  static const std::vector<Bench> benches = {
      {"control-submit", "latency of CreateJob, 4 clients at 50 submits a second together while a job trains", ControlSubmit},
      {"control-idle", "memory of an idle traind", ControlIdle},
  };
  return benches;
}

}  // namespace traind::perf
