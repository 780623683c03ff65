// Clipping by the global norm without waiting for the device.
#pragma once

#include <torch/types.h>

namespace traind::worker::train {

// 0-d tensors on the gradients' device.
struct ClipResult {
  torch::Tensor norm;        // before clipping, the gradients' dtype; NaN or infinite where they are
  torch::Tensor non_finite;  // float32: 1 where the step must be skipped, else 0
};

// Scales `gradients`, one flat tensor, by min(1, max_norm / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_ does. `order` of the norm:
// 2 for Euclid's, infinity for the largest entry. Where the norm is not finite, be it that the squares overflow, the scaled gradients mean
// nothing.
ClipResult ClipGlobalNorm(torch::Tensor gradients, double max_norm, double order = 2);

}  // namespace traind::worker::train
