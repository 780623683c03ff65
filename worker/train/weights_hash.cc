#include "worker/train/weights_hash.h"

#include <map>

#include "absl/strings/string_view.h"
#include "common/os/files.h"

namespace traind::worker::train {

std::string WeightsSha256(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& item : module.named_parameters()) tensors[item.key()] = item.value();
  for (const auto& item : module.named_buffers()) tensors[item.key()] = item.value();
  std::string bytes;
  for (const auto& [name, tensor] : tensors) {
    const torch::Tensor host = tensor.detach().to(torch::kCPU).contiguous();
    bytes.append(name).push_back('\0');
    bytes.append(static_cast<const char*>(host.data_ptr()), host.nbytes());
  }
  return os::Sha256Hex(bytes);
}

}  // namespace traind::worker::train
