#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "worker/train/named_tensor.h"

namespace traind::worker::train {

// Tensors as a safetensors file (common/ckpt), copied to the host where they are not there. INVALID_ARGUMENT: a dtype the format lacks.
absl::StatusOr<std::string> ToSafetensors(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata);

}  // namespace traind::worker::train
