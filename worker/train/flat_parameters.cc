#include "worker/train/flat_parameters.h"

namespace traind::worker::train {

FlatParameters::FlatParameters(torch::nn::Module& module) {
  torch::NoGradGuard no_grad;
  const auto parameters = module.named_parameters();
  std::vector<torch::Tensor> parts;
  int64_t offset = 0;
  for (const auto& item : parameters) {
    const torch::Tensor& parameter = item.value();
    parts.push_back(parameter.detach().reshape({-1}));
    slices_.push_back({item.key(), offset, parameter.sizes().vec()});
    offset += parameter.numel();
  }
  values_ = torch::cat(parts);
  gradients_ = torch::zeros_like(values_);
  for (size_t i = 0; i < slices_.size(); ++i) {
    torch::Tensor parameter = parameters[i].value();
    parameter.set_data(View(values_, slices_[i]));
    parameter.mutable_grad() = View(gradients_, slices_[i]);
  }
}

void FlatParameters::ZeroGradients() { gradients_.zero_(); }

torch::Tensor FlatParameters::View(const torch::Tensor& flat, const Slice& slice) {
  int64_t size = 1;
  for (const int64_t extent : slice.shape) size *= extent;
  return flat.narrow(0, slice.offset, size).view(slice.shape);
}

std::string FlatParameters::FirstNonFiniteGradient() const {
  torch::NoGradGuard no_grad;
  for (const Slice& slice : slices_) {
    if (!View(gradients_, slice).isfinite().all().item<bool>()) return slice.name;
  }
  return "";
}

}  // namespace traind::worker::train
