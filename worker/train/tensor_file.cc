#include "worker/train/tensor_file.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ckpt/safetensors.h"

namespace traind::worker::train {
namespace {

std::optional<ckpt::Dtype> DtypeOf(const torch::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case torch::kFloat32:
      return ckpt::Dtype::kF32;
    case torch::kFloat64:
      return ckpt::Dtype::kF64;
    case torch::kBFloat16:
      return ckpt::Dtype::kBF16;
    case torch::kInt64:
      return ckpt::Dtype::kI64;
    case torch::kInt32:
      return ckpt::Dtype::kI32;
    case torch::kUInt8:
      return ckpt::Dtype::kU8;
    case torch::kBool:
      return ckpt::Dtype::kBool;
    default:
      return std::nullopt;
  }
}

}  // namespace

absl::StatusOr<std::string> ToSafetensors(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata) {
  std::vector<torch::Tensor> held;  // what the views point into
  std::vector<ckpt::TensorView> views;
  for (const NamedTensor& named : tensors) {
    held.push_back(named.tensor.detach().to(torch::kCPU).contiguous());
    const torch::Tensor& tensor = held.back();
    const std::optional<ckpt::Dtype> dtype = DtypeOf(tensor);
    if (!dtype.has_value()) return absl::InvalidArgumentError(absl::StrCat("tensor ", named.name, " has a type that cannot be stored"));
    views.push_back({named.name, *dtype, tensor.sizes().vec(), {static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes()}});
  }
  return ckpt::WriteSafetensors(views, metadata);
}

}  // namespace traind::worker::train
