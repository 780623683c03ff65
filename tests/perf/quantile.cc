#include "tests/perf/quantile.h"

#include <algorithm>
#include <cmath>

namespace traind::perf {

double Quantile(std::vector<double> samples, double q) {
  const auto rank = static_cast<size_t>(std::max(1.0, std::ceil(q * static_cast<double>(samples.size())))) - 1;
  std::nth_element(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(rank), samples.end());
  return samples[rank];
}

}  // namespace traind::perf
