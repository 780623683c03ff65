#include "worker/models/q_head.h"

#include <vector>

namespace traind::worker::models {

void AdoptMembers(torch::nn::Module& to, const torch::nn::Module& from) {
  for (const auto& child : from.named_children()) to.register_module(child.key(), child.value());
  for (const auto& buffer : from.named_buffers(/*recurse=*/false)) to.register_buffer(buffer.key(), buffer.value());
}

torch::Tensor Bootstrap(const torch::Tensor& returns, const torch::Tensor& discounts, const torch::Tensor& next) {
  std::vector<int64_t> rows(static_cast<size_t>(next.dim()), 1);
  rows[0] = -1;
  return torch::addcmul(returns.view(rows), discounts.view(rows), next);
}

torch::Tensor OfAction(const torch::Tensor& per_action, const torch::Tensor& actions) {
  if (per_action.dim() == 2) return per_action.gather(1, actions.unsqueeze(1)).squeeze(1);
  return per_action.gather(1, actions.view({-1, 1, 1}).expand({-1, 1, per_action.size(2)})).squeeze(1);
}

}  // namespace traind::worker::models
