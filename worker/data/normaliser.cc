#include "worker/data/normaliser.h"

#include <algorithm>
#include <cmath>

#include "nlohmann/json.hpp"

namespace traind::worker::data {
namespace {

constexpr double kClip = 10;
constexpr double kLeastDeviation = 1e-12;

}  // namespace

Normaliser Normaliser::Fit(const FeatureMatrix& features, int64_t begin, int64_t end) {
  Normaliser normaliser;
  const int64_t width = features.width();
  const auto count = static_cast<double>(end - begin);
  for (int64_t c = 0; c < width; ++c) {
    double sum = 0, squares = 0;
    for (int64_t t = begin; t < end; ++t) sum += features.values[t * width + c];
    const double mean = sum / count;
    for (int64_t t = begin; t < end; ++t) squares += std::pow(features.values[t * width + c] - mean, 2);
    normaliser.mean_.push_back(mean);
    normaliser.deviation_.push_back(std::sqrt(squares / count));
  }
  return normaliser;
}

std::vector<float> Normaliser::Apply(const FeatureMatrix& features) const {
  std::vector<float> result(features.values.size());
  const size_t width = static_cast<size_t>(features.width());
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t c = i % width;
    if (deviation_[c] <= kLeastDeviation) continue;
    result[i] = static_cast<float>(std::clamp((features.values[i] - mean_[c]) / deviation_[c], -kClip, kClip));
  }
  return result;
}

std::string NormalisersJson(const std::vector<std::string>& instruments, const std::vector<std::string>& features,
                            const std::vector<Normaliser>& normalisers) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (size_t i = 0; i < instruments.size(); ++i) {
    for (size_t c = 0; c < features.size(); ++c)
      json[instruments[i]][features[c]] = {normalisers[i].mean()[c], normalisers[i].deviation()[c]};
  }
  return json.dump();
}

}  // namespace traind::worker::data
