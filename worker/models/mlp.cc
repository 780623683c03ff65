#include "worker/models/mlp.h"

#include <string>

namespace traind::worker::models {

Mlp::Mlp(const std::vector<int64_t>& widths, bool activate_last, NoiseLayout* noise) : activate_last_(activate_last) {
  const auto layers = register_module("model", std::make_shared<torch::nn::Module>());
  for (size_t i = 0; i + 1 < widths.size(); ++i) {
    const std::string name = std::to_string(2 * i);
    if (noise == nullptr) {
      plain_.push_back(layers->register_module(name, torch::nn::Linear(widths[i], widths[i + 1])));
    } else {
      noisy_.push_back(layers->register_module(name, std::make_shared<NoisyLinear>(widths[i], widths[i + 1], *noise)));
    }
  }
}

torch::Tensor Mlp::forward(torch::Tensor x, const Noise* noise) {
  const size_t count = plain_.size() + noisy_.size();
  for (size_t i = 0; i < count; ++i) {
    x = plain_.empty() ? noisy_[i]->forward(x, noise) : plain_[i]->forward(x);
    if (i + 1 < count || activate_last_) x = x.relu_();
  }
  return x;
}

}  // namespace traind::worker::models
