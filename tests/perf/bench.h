// A benchmark measures one thing through the product's own binaries or classes and returns samples; tools/bench prints them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace traind::perf {

struct Metric {
  std::string name;  // "p99_ms"
  std::string unit;  // "ms", "mb", "1/s"; of a time, lower is better
  std::vector<double> samples;
};

struct BenchContext {
  std::string binaries;  // folder of traind, traind-worker, …
};

struct Bench {
  const char* name;
  const char* help;
  absl::StatusOr<std::vector<Metric>> (*run)(const BenchContext& context);
};

// Every benchmark, a line each.
const std::vector<Bench>& Benches();

absl::StatusOr<std::vector<Metric>> ControlSubmit(const BenchContext& context);
absl::StatusOr<std::vector<Metric>> ControlIdle(const BenchContext& context);

}  // namespace traind::perf
