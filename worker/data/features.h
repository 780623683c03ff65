// Past-only features: the row of a bar is computed from that bar and earlier ones of its segment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/data/bars.h"
#include "worker/data/dataset.h"

namespace traind::worker::data {

// float32 [rows, names.size()], row-major, not yet normalised.
struct FeatureMatrix {
  std::vector<std::string> names;
  std::vector<float> values;
  // First row of a segment whose features all have a past to be computed from. What needs one is 0 in the first row of a segment.
  int64_t warmup = 0;

  int64_t width() const { return static_cast<int64_t>(names.size()); }
  int64_t rows() const { return names.empty() ? 0 : static_cast<int64_t>(values.size()) / width(); }
};

// Which of the wanted features every instrument can give; a close-only series has no range, body or volume.
struct FeatureChoice {
  std::vector<std::string> kept;
  std::vector<std::string> left_out;
};
FeatureChoice ChooseFeatures(const std::vector<std::string>& wanted, const Dataset& dataset);

// Features `names` of one instrument, then its precomputed columns.
//   return      log close_t / close_{t-1}
//   range       log high / low
//   body        log close / open
//   volume      log(1 + volume) less its exponential mean over about 20 bars
//   volatility  log of the exponential root mean square of returns over about 20 bars
//   calendar    sine and cosine of the time of day and of the day of the week
FeatureMatrix ComputeFeatures(const Instrument& instrument, const std::vector<std::string>& names,
                              const std::vector<std::string>& extra_names);

}  // namespace traind::worker::data
