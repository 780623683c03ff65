// Points of the metric history as table, CSV and lines. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "traind/v1/job.pb.h"

namespace traind::client::trainctl {

// Every metric that some point has, sorted.
std::vector<std::string> MetricNames(const std::vector<v1::MetricPoint>& points);

// Columns fold, step, then `names`.
std::string MetricTable(const std::vector<v1::MetricPoint>& points, const std::vector<std::string>& names);
// "time,fold,step,loss\n".
std::string MetricCsvHeader(const std::vector<std::string>& names);
// A value that the point does not have is empty.
std::string MetricCsvRow(const v1::MetricPoint& point, const std::vector<std::string>& names);
// "fold 1  step 1,200  loss=0.012\n".
std::string MetricLine(const v1::MetricPoint& point);

}  // namespace traind::client::trainctl
