// A linear layer whose weights are drawn: w = μ + σ ⊙ (f(ε_out) f(ε_in)ᵀ), b = μ_b + σ_b ⊙ f(ε_out) (Fortunato et al., 2018, eq. 9–11).
// Noise is per layer, not per sample, so that a batch costs one matrix product.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "worker/models/noise.h"

namespace traind::worker::models {

// Parameters mu_W, sigma_W [out, in] and mu_bias, sigma_bias [out], the names of Tianshou's layer. Thread-compatible.
class NoisyLinear final : public torch::nn::Module {
 public:
  NoisyLinear(int64_t in, int64_t out, NoiseLayout& layout);

  // x [R, in] → [R, out]. `noise` null: the means.
  torch::Tensor forward(const torch::Tensor& x, const Noise* noise);

  torch::Tensor& mu_bias() { return mu_bias_; }

 private:
  const size_t index_;
  torch::Tensor mu_weight_, sigma_weight_, mu_bias_, sigma_bias_;
};

}  // namespace traind::worker::models
