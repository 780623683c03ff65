#include "worker/models/mlp.h"

#include <memory>
#include <string>

namespace traind::worker::models {

Mlp::Mlp(const std::vector<int64_t>& widths, bool activate_last) : activate_last_(activate_last) {
  const auto layers = register_module("model", std::make_shared<torch::nn::Module>());
  for (size_t i = 0; i + 1 < widths.size(); ++i) {
    layers_.push_back(layers->register_module(std::to_string(2 * i), torch::nn::Linear(widths[i], widths[i + 1])));
  }
}

torch::Tensor Mlp::forward(torch::Tensor x) {
  for (size_t i = 0; i < layers_.size(); ++i) {
    x = layers_[i]->forward(x);
    if (i + 1 < layers_.size() || activate_last_) x = x.relu_();
  }
  return x;
}

}  // namespace traind::worker::models
