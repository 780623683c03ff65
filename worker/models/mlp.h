// A stack of linear layers. Parameters are named model.<2i>.weight and model.<2i>.bias, as in Tianshou's MLP, where the activations
// take the odd places; those of noisy layers as in noisy_linear.h.
#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "worker/models/noisy_linear.h"

namespace traind::worker::models {

// Thread-compatible, as every torch module.
class Mlp final : public torch::nn::Module {
 public:
  // `widths` holds the input width and the width of each layer, two numbers at least. With `activate_last` the last layer is followed
  // by a ReLU too, as a trunk needs. With `noise` all layers are noisy and known to that layout.
  Mlp(const std::vector<int64_t>& widths, bool activate_last, NoiseLayout* noise = nullptr);

  // Bias of the last layer, the mean of a noisy one.
  torch::Tensor& output_bias() { return plain_.empty() ? noisy_.back()->mu_bias() : plain_.back()->bias; }

  // [R, widths.front()] → [R, widths.back()].
  torch::Tensor forward(torch::Tensor x, const Noise* noise = nullptr);

 private:
  std::vector<torch::nn::Linear> plain_;
  std::vector<std::shared_ptr<NoisyLinear>> noisy_;  // one of the two is empty
  const bool activate_last_;
};

}  // namespace traind::worker::models
