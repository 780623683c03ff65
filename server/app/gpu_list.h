#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace traind::server::app {

// The GPUs that become slots, as a worker's CUDA_VISIBLE_DEVICES names them. `ids`: what flag or configuration ask for, empty: nothing.
// `mask`: our own CUDA_VISIBLE_DEVICES. An index of `ids` counts within the mask, as CUDA would count; without `ids` the mask itself is
// taken, and without both there are none. Nothing outside the mask is ever given out.
// INVALID_ARGUMENT, a sentence: an id that the mask does not show, or that is named twice. Pure.
absl::StatusOr<std::vector<std::string>> VisibleGpus(const std::vector<std::string>& ids, const std::optional<std::string>& mask);

}  // namespace traind::server::app
