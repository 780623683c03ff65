#include "worker/models/scalar_head.h"

#include <vector>

namespace traind::worker::models {

ScalarHead::ScalarHead(int64_t features, int64_t num_actions)
    : q_(register_module("Q", std::make_shared<Mlp>(std::vector<int64_t>{features, num_actions}, /*activate_last=*/false))) {}

HeadOutput ScalarHead::forward(const torch::Tensor& features) { return {.values = q_->forward(features)}; }

torch::Tensor ScalarHead::ExpectedQ(const HeadOutput& output) const { return output.values; }

TdLoss ScalarHead::Loss(const HeadOutput& online, const TdTarget& target) const {
  const torch::Tensor next_q = target.next.values.gather(1, target.next_actions.unsqueeze(1)).squeeze(1).detach();
  const torch::Tensor wanted = torch::addcmul(target.returns, target.discounts, next_q);
  const torch::Tensor q = online.values.gather(1, target.actions.unsqueeze(1)).squeeze(1);
  const torch::Tensor error = q - wanted;
  return {.rows = error.square().mul(0.5), .q = q.detach()};
}

}  // namespace traind::worker::models
