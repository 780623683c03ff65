// Inputs and outputs of a reference implementation: tests/data/parity/NAME.safetensors.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "common/ckpt/safetensors.h"
#include "gtest/gtest.h"
#include "tests/testing/temp_dir.h"

namespace traind::worker {

// Tensors by name; fails the test where the file cannot be read.
inline std::map<std::string, torch::Tensor> ReadParityFixture(const std::string& name) {
  const std::map<ckpt::Dtype, torch::Dtype> dtypes = {{ckpt::Dtype::kF64, torch::kFloat64},
                                                      {ckpt::Dtype::kF32, torch::kFloat32},
                                                      {ckpt::Dtype::kI64, torch::kInt64},
                                                      {ckpt::Dtype::kBool, torch::kBool}};
  const std::string bytes = testing::ReadFile(std::string(TRAIND_SOURCE_DIR) + "/tests/data/parity/" + name + ".safetensors");
  const auto file = ckpt::ReadSafetensors(bytes);
  std::map<std::string, torch::Tensor> tensors;
  EXPECT_TRUE(file.ok()) << file.status();
  if (!file.ok()) return tensors;
  for (const ckpt::TensorView& view : file->tensors) {
    auto* const data = const_cast<std::byte*>(view.bytes.data());
    tensors[view.name] = torch::from_blob(data, view.shape, dtypes.at(view.dtype)).clone();
  }
  return tensors;
}

}  // namespace traind::worker
