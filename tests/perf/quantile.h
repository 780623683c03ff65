#pragma once

#include <vector>

namespace traind::perf {

// The smallest sample that at least a share `q` of the samples do not exceed. `samples` is not empty.
double Quantile(std::vector<double> samples, double q);

}  // namespace traind::perf
