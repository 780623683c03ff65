// The process_* metrics that every Prometheus client library offers and prometheus-cpp does not.
#pragma once

#include <string>

namespace traind::obs {

// Text format, read from /proc/self now. What cannot be read is left out.
std::string ProcessMetricsText();

}  // namespace traind::obs
