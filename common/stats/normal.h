// The standard normal distribution. Pure, thread-safe.
#pragma once

namespace traind::stats {

// Φ(x), to the precision of a double in both tails.
double NormalCdf(double x);

// Φ⁻¹(p): −∞ at 0, +∞ at 1, NaN outside [0, 1].
double NormalQuantile(double p);

}  // namespace traind::stats
