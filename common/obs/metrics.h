// The metrics of one process in Prometheus text format 0.0.4. Names are traind_<what>_<unit> in base units (docs/reference/metrics.md);
// no label is called job or instance, which Prometheus would rename.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace traind::obs {

using Labels = std::map<std::string, std::string>;

// Upper bounds in seconds for latencies from 25 µs to 1 s.
const std::vector<double>& LatencyBuckets();

// Thread-safe. Children live as long as the registry; keep the reference instead of asking again in a hot path.
class Metrics {
 public:
  Metrics() : registry_(std::make_shared<prometheus::Registry>()) {}

  prometheus::Counter& AddCounter(const std::string& name, const std::string& help, const Labels& labels = {});
  prometheus::Gauge& AddGauge(const std::string& name, const std::string& help, const Labels& labels = {});
  prometheus::Histogram& AddHistogram(const std::string& name, const std::string& help, const std::vector<double>& buckets,
                                      const Labels& labels = {});

  // All metrics, and the process_* ones of this process read now.
  std::string Text() const;

 private:
  std::shared_ptr<prometheus::Registry> registry_;
};

// One sample of a text page whose values are known only when it is asked for.
struct GaugeSample {
  Labels labels;
  double value = 0;
};
// "# HELP", "# TYPE" and one line per sample; nothing for no samples.
std::string GaugeText(absl::string_view name, absl::string_view help, const std::vector<GaugeSample>& samples);

}  // namespace traind::obs
