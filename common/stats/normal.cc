#include "common/stats/normal.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace traind::stats {
namespace {

// Abramowitz and Stegun 26.2.23, absolute error below 4.5e-4: a first guess at the quantile of p ≤ ½.
double GuessLowerQuantile(double p) {
  const double t = std::sqrt(-2 * std::log(p));
  return (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
}

}  // namespace

double NormalCdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

double NormalQuantile(double p) {
  if (p == 0) return -std::numeric_limits<double>::infinity();
  if (p > .5) return -NormalQuantile(1 - p);
  double x = GuessLowerQuantile(p);
  // Halley's method triples the number of right digits: three steps are one more than a double has use for.
  for (int step = 0; step < 3; ++step) {
    const double newton = (NormalCdf(x) - p) * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
    x -= newton / (1 + x * newton / 2);
  }
  return x;
}

}  // namespace traind::stats
