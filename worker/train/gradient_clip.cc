#include "worker/train/gradient_clip.h"

namespace traind::worker::train {

ClipResult ClipGlobalNorm(torch::Tensor gradients, double max_norm, double order) {
  torch::NoGradGuard no_grad;
  const torch::Tensor norm = at::linalg_vector_norm(gradients, order);
  gradients.mul_((norm + 1e-6).reciprocal_().mul_(max_norm).clamp_max_(1.0));
  return {.norm = norm, .non_finite = norm.isfinite().logical_not_().to(torch::kFloat32)};
}

}  // namespace traind::worker::train
