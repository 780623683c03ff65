// usage: traind-bench BINARIES [--json] [--list | NAME]
#include <cstring>
#include <iostream>
#include <string>

#include "nlohmann/json.hpp"
#include "tests/perf/bench.h"
#include "tests/perf/quantile.h"

namespace {

void PrintJson(const char* bench, const traind::perf::Metric& metric) {
  nlohmann::ordered_json line = {{"name", bench},
                                 {"metric", metric.name},
                                 {"unit", metric.unit},
                                 {"ours", traind::perf::Quantile(metric.samples, .5)},
                                 {"n", metric.samples.size()},
                                 {"samples_ours", metric.samples}};
  std::cout << line.dump() << "\n";
}

int List() {
  for (const traind::perf::Bench& bench : traind::perf::Benches()) std::cout << bench.name << "\t" << bench.help << "\n";
  return 0;
}

int Run(const traind::perf::Bench& bench, const std::string& binaries, bool json) {
  const auto metrics = bench.run({binaries});
  if (!metrics.ok()) {
    std::cerr << bench.name << ": " << metrics.status().message() << "\n";
    return 1;
  }
  for (const traind::perf::Metric& metric : *metrics) {
    if (json) {
      PrintJson(bench.name, metric);
    } else {
      std::cout << bench.name << " " << metric.name << " " << traind::perf::Quantile(metric.samples, .5) << " " << metric.unit << "\n";
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  const char* name = nullptr;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--list") == 0) return List();
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else {
      name = argv[i];
    }
  }
  if (argc < 3 || name == nullptr) {
    std::cerr << "usage: traind-bench BINARIES [--json] [--list | NAME]\n";
    return 2;
  }
  for (const traind::perf::Bench& bench : traind::perf::Benches()) {
    if (std::strcmp(bench.name, name) == 0) return Run(bench, argv[1], json);
  }
  std::cerr << "no benchmark is called " << name << "; --list names them\n";
  return 2;
}
