// A stack of linear layers. Parameters are named model.<2i>.weight and model.<2i>.bias, as in Tianshou's MLP, where the activations
// take the odd places.
#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

namespace traind::worker::models {

// Thread-compatible, as every torch module.
class Mlp final : public torch::nn::Module {
 public:
  // `widths` holds the input width and the width of each layer, two numbers at least. With `activate_last` the last layer is followed
  // by a ReLU too, as a trunk needs.
  Mlp(const std::vector<int64_t>& widths, bool activate_last);

  // [B, widths.front()] → [B, widths.back()].
  torch::Tensor forward(torch::Tensor x);

 private:
  std::vector<torch::nn::Linear> layers_;
  const bool activate_last_;
};

}  // namespace traind::worker::models
