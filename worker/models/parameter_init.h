// Initial weights keyed by the parameter's name, so that two configurations share the start of what they share: adding a head or a
// layer moves no other tensor.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "absl/strings/string_view.h"

namespace traind::worker::models {

// Fills every parameter of `module` from a stream of (seed, name): uniform in ±1/√fan-in, the fan-in of a bias being that of the weight
// beside it; PyTorch's default for linear layers, and the means of noisy ones. sigma_W and sigma_bias of noisy layers become
// noisy_sigma/√fan-in. Independent of dtype, device and order of registration.
void InitializeParameters(torch::nn::Module& module, uint64_t seed, double noisy_sigma = 0.5);

}  // namespace traind::worker::models
