// One file of numbers of a reference implementation: a case of a recipe, its arguments, inputs and expected outputs.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace traind::parity {

// What a file lacks is an error of LibTorch's kind (TORCH_CHECK), as are the shapes that do not fit: RunFile catches both.
class Fixture {
 public:
  // DATA_LOSS and the like with the path for a file that is not as the format says.
  static absl::StatusOr<Fixture> Read(const std::string& path);

  const std::string& recipe() const { return recipe_; }
  double tolerance() const { return tolerance_; }                    // of out.*
  double gradient_tolerance() const { return gradient_tolerance_; }  // of grad.* and grad_in.*
  // By name, prefix included.
  const std::map<std::string, torch::Tensor>& tensors() const { return tensors_; }
  bool Has(const std::string& name) const { return tensors_.contains(name); }
  const torch::Tensor& Get(const std::string& name) const;
  // in.<name>; the same as a leaf that gathers gradients; param.<name>.
  const torch::Tensor& In(const std::string& name) const { return Get("in." + name); }
  torch::Tensor Leaf(const std::string& name) const { return In(name).clone().requires_grad_(true); }
  const torch::Tensor& Param(const std::string& name) const { return Get("param." + name); }

  const nlohmann::json& args() const { return args_; }
  template <typename T>
  T Arg(const std::string& name) const {
    TORCH_CHECK(args_.contains(name), "args has no ", name);
    return args_.at(name).get<T>();
  }
  template <typename T>
  T Arg(const std::string& name, const T& otherwise) const {
    return args_.value(name, otherwise);
  }

 private:
  std::string recipe_;
  nlohmann::json args_;
  double tolerance_ = 0, gradient_tolerance_ = 0;
  std::map<std::string, torch::Tensor> tensors_;
};

}  // namespace traind::parity
