// All parameters of a module, and their gradients, as views of one buffer each: one collective, one optimiser call, one norm.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace traind::worker::train {

// Owns the two buffers; the module's parameters keep them alive too. The module must not be moved to another device or dtype
// afterwards. Thread-compatible.
class FlatParameters {
 public:
  // Re-seats the parameters of `module`, which has one at least, all of one dtype and on one device. Values stay, gradients become 0.
  explicit FlatParameters(torch::nn::Module& module);

  // [N], the parameters' dtype, in order of registration.
  const torch::Tensor& values() const { return values_; }
  // [N]. Autograd accumulates into it in place.
  const torch::Tensor& gradients() const { return gradients_; }
  void ZeroGradients();

  struct Slice {
    std::string name;
    int64_t offset = 0;
    std::vector<int64_t> shape;
  };
  const std::vector<Slice>& slices() const { return slices_; }
  // The part of `flat`, a tensor laid out as values(), that belongs to one parameter, in its shape.
  static torch::Tensor View(const torch::Tensor& flat, const Slice& slice);
  // Name of the first parameter with a gradient that is not finite; empty if there is none. Waits for the device.
  std::string FirstNonFiniteGradient() const;

 private:
  torch::Tensor values_;
  torch::Tensor gradients_;
  std::vector<Slice> slices_;
};

}  // namespace traind::worker::train
