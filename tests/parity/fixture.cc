#include "tests/parity/fixture.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/ckpt/safetensors.h"
#include "common/os/files.h"

namespace traind::parity {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

absl::StatusOr<torch::Dtype> DtypeOf(const ckpt::TensorView& view) {
  switch (view.dtype) {
    case ckpt::Dtype::kF64:
      return torch::kFloat64;
    case ckpt::Dtype::kF32:
      return torch::kFloat32;
    case ckpt::Dtype::kI64:
      return torch::kInt64;
    case ckpt::Dtype::kBool:
      return torch::kBool;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", view.name, " is ", ckpt::DtypeName(view.dtype), "; fixtures hold F64, F32, I64 and BOOL"));
  }
}

absl::StatusOr<std::string> Entry(const ckpt::TensorFile& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) return absl::InvalidArgumentError(absl::StrCat("the metadata has no ", key));
  return found->second;
}

absl::StatusOr<double> Number(const ckpt::TensorFile& file, const std::string& key) {
  ASSIGN_OR_RETURN(const std::string text, Entry(file, key));
  double value = 0;
  if (absl::SimpleAtod(text, &value) && value > 0) return value;
  return absl::InvalidArgumentError(absl::StrCat("the metadata's ", key, " is \"", text, "\", not a number above 0"));
}

}  // namespace

absl::StatusOr<Fixture> Fixture::Read(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, os::ReadWholeFile(path, kMostBytes));
  ASSIGN_OR_RETURN(const ckpt::TensorFile file, ckpt::ReadSafetensors(bytes));
  Fixture fixture;
  ASSIGN_OR_RETURN(fixture.recipe_, Entry(file, "recipe"));
  ASSIGN_OR_RETURN(fixture.tolerance_, Number(file, "tolerance"));
  ASSIGN_OR_RETURN(fixture.gradient_tolerance_, Number(file, "tolerance_grad"));
  ASSIGN_OR_RETURN(const std::string args, Entry(file, "args"));
  fixture.args_ = nlohmann::json::parse(args, nullptr, /*allow_exceptions=*/false);
  if (!fixture.args_.is_object()) return absl::InvalidArgumentError("the metadata's args are no JSON object");
  for (const ckpt::TensorView& view : file.tensors) {
    ASSIGN_OR_RETURN(const torch::Dtype dtype, DtypeOf(view));
    torch::Tensor tensor = torch::empty(view.shape, dtype);
    std::copy(view.bytes.begin(), view.bytes.end(), static_cast<std::byte*>(tensor.data_ptr()));
    fixture.tensors_[view.name] = tensor;
  }
  return fixture;
}

const torch::Tensor& Fixture::Get(const std::string& name) const {
  const auto found = tensors_.find(name);
  TORCH_CHECK(found != tensors_.end(), "the file has no tensor ", name);
  return found->second;
}

}  // namespace traind::parity
