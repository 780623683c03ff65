// Tensors with their names, as checkpoints store them.
#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace traind::worker::train {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};
using NamedTensors = std::vector<NamedTensor>;

}  // namespace traind::worker::train
