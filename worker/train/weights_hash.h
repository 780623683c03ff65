// The fingerprint by which two runs are compared.
#pragma once

#include <torch/nn/module.h>

#include <string>

namespace traind::worker::train {

// SHA-256, hex, over name, a zero byte and the bytes of every parameter and buffer, sorted by name.
std::string WeightsSha256(const torch::nn::Module& module);

}  // namespace traind::worker::train
