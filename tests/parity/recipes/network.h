// Between the modules of ours and the names of a reference.
#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <string>

#include "tests/parity/comparison.h"
#include "tests/parity/fixture.h"

namespace traind::parity {

// The reference's name of a parameter of ours.
using Naming = std::function<std::string(const std::string&)>;
inline std::string SameName(const std::string& name) { return name; }

// param.<name> into each parameter of `module`.
inline void LoadParameters(const Fixture& fixture, const torch::nn::Module& module, const Naming& naming = SameName,
                           const std::string& prefix = "param.") {
  for (const auto& item : module.named_parameters()) {
    const torch::Tensor& value = fixture.Get(prefix + naming(item.key()));
    TORCH_CHECK(value.sizes() == item.value().sizes(), item.key(), " has shape ", item.value().sizes(), ", in the file ", value.sizes());
    item.value().data().copy_(value);
  }
}

// The gradients of `module`'s parameters with grad.<name>. A parameter without one has none in the file either.
inline void CompareGradients(Comparison& comparison, const torch::nn::Module& module, const Naming& naming = SameName,
                             const std::string& prefix = "grad.") {
  for (const auto& item : module.named_parameters()) {
    if (item.value().grad().defined()) comparison.Compare(prefix + naming(item.key()), item.value().grad());
  }
}

// Σ out ⊙ in.cotangent, the objective of files whose objective_kind is so.
inline torch::Tensor AgainstCotangent(const Fixture& fixture, const torch::Tensor& out) { return (out * fixture.In("cotangent")).sum(); }

// The reference's mean over a batch of weighted rows.
inline torch::Tensor WeightedMean(const Fixture& fixture, const torch::Tensor& rows) { return (rows * fixture.In("weight")).mean(); }

// γ^m, 0 where the row terminated: how a window of ours holds it.
inline torch::Tensor Discounts(const Fixture& fixture) {
  return fixture.In("discount") * fixture.In("terminated").to(torch::kBool).logical_not();
}

}  // namespace traind::parity
