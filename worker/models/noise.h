// Factorised Gaussian noise of the noisy layers of one network (Fortunato et al., "Noisy networks for exploration", ICLR 2018). A draw is
// an object that is handed to forward(), never a mode of the network: acting, the online loss and the target each own theirs, and no noise
// at all (null) means the layers' means, as in evaluation.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "common/base/rng.h"

namespace traind::worker::models {

// Sizes of a network's noisy layers in the order of construction; a layer is known by its index.
class NoiseLayout {
 public:
  struct Layer {
    int64_t in = 0;
    int64_t out = 0;
  };
  // Index of the layer added.
  size_t Add(int64_t in, int64_t out) {
    layers_.push_back({in, out});
    return layers_.size() - 1;
  }
  const std::vector<Layer>& layers() const { return layers_; }

 private:
  std::vector<Layer> layers_;
};

// One draw. Thread-compatible.
class Noise {
 public:
  // Zeros of `dtype` on the CPU until drawn.
  explicit Noise(const NoiseLayout& layout, torch::Dtype dtype = torch::kFloat32);

  // Fills every vector anew with f(ε), f(x) = sign(x)·√|x|, ε standard normal.
  void Draw(RandomStream& random);

  // f(ε) of a layer's inputs [in] and outputs [out]: views, so that a test can set them.
  const torch::Tensor& in(size_t layer) const { return in_[layer]; }
  const torch::Tensor& out(size_t layer) const { return out_[layer]; }
  // All of them, [Σ (in + out)].
  const torch::Tensor& values() const { return values_; }

 private:
  torch::Tensor values_;
  std::vector<torch::Tensor> in_, out_;
};

}  // namespace traind::worker::models
