#include "worker/models/noise.h"

#include <cmath>

namespace traind::worker::models {

Noise::Noise(const NoiseLayout& layout, torch::Dtype dtype) {
  int64_t size = 0;
  for (const NoiseLayout::Layer& layer : layout.layers()) size += layer.in + layer.out;
  values_ = torch::zeros({size}, dtype);
  int64_t offset = 0;
  for (const NoiseLayout::Layer& layer : layout.layers()) {
    in_.push_back(values_.narrow(0, offset, layer.in));
    out_.push_back(values_.narrow(0, offset + layer.in, layer.out));
    offset += layer.in + layer.out;
  }
}

void Noise::Draw(RandomStream& random) {
  AT_DISPATCH_FLOATING_TYPES(values_.scalar_type(), "Noise::Draw", [&] {
    auto* const values = values_.data_ptr<scalar_t>();
    for (int64_t i = 0; i < values_.numel(); ++i) {
      const double normal = random.Normal();
      values[i] = static_cast<scalar_t>(std::copysign(std::sqrt(std::abs(normal)), normal));
    }
  });
}

}  // namespace traind::worker::models
