#include "common/obs/metrics.h"

#include "absl/strings/str_cat.h"
#include "common/obs/process_metrics.h"
#include "prometheus/metric_family.h"
#include "prometheus/text_serializer.h"

namespace traind::obs {

const std::vector<double>& LatencyBuckets() {
  static const std::vector<double> buckets = {25e-6, 5e-5,   1e-4,   1.5e-4, 2e-4, 3e-4,   4e-4, 5e-4, 7.5e-4,
                                              1e-3,  1.5e-3, 2.5e-3, 5e-3,   1e-2, 2.5e-2, 0.1,  1.0};
  return buckets;
}

prometheus::Counter& Metrics::AddCounter(const std::string& name, const std::string& help, const Labels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(*registry_).Add(labels);
}

prometheus::Gauge& Metrics::AddGauge(const std::string& name, const std::string& help, const Labels& labels) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(*registry_).Add(labels);
}

prometheus::Histogram& Metrics::AddHistogram(const std::string& name, const std::string& help, const std::vector<double>& buckets,
                                             const Labels& labels) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(*registry_).Add(labels, buckets);
}

std::string Metrics::Text() const {
  return absl::StrCat(prometheus::TextSerializer().Serialize(registry_->Collect()), ProcessMetricsText());
}

std::string GaugeText(absl::string_view name, absl::string_view help, const std::vector<GaugeSample>& samples) {
  if (samples.empty()) return "";
  prometheus::MetricFamily family;
  family.name = std::string(name);
  family.help = std::string(help);
  family.type = prometheus::MetricType::Gauge;
  for (const GaugeSample& sample : samples) {
    prometheus::ClientMetric metric;
    for (const auto& [label, value] : sample.labels) metric.label.push_back({label, value});
    metric.gauge.value = sample.value;
    family.metric.push_back(metric);
  }
  return prometheus::TextSerializer().Serialize({family});
}

}  // namespace traind::obs
