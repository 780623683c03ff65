// Scales features by what the training range, and nothing later, looks like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/data/features.h"

namespace traind::worker::data {

// Per feature of one instrument: (x - mean) / deviation, cut to ±10. A feature that does not vary in training becomes 0.
class Normaliser {
 public:
  // Fits rows [begin, end), at least one.
  static Normaliser Fit(const FeatureMatrix& features, int64_t begin, int64_t end);

  // All rows of `features`, float32 [rows, width].
  std::vector<float> Apply(const FeatureMatrix& features) const;

  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& deviation() const { return deviation_; }

 private:
  std::vector<double> mean_;
  std::vector<double> deviation_;
};

// Normalisers of several instruments as JSON, for checkpoints: {"AAPL": {"return": [mean, deviation], …}, …}.
std::string NormalisersJson(const std::vector<std::string>& instruments, const std::vector<std::string>& features,
                            const std::vector<Normaliser>& normalisers);

}  // namespace traind::worker::data
