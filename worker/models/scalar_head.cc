#include "worker/models/scalar_head.h"

namespace traind::worker::models {

ScalarHead::ScalarHead(const StreamsShape& shape, NoiseLayout* noise, double huber) : streams_(shape, noise), huber_(huber) {
  streams_.Register(*this, "Q", "V");
}

HeadOutput ScalarHead::forward(const torch::Tensor& features, const HeadDraws& draws) {
  return {.values = streams_.forward(features, draws.noise).squeeze(2)};
}

torch::Tensor ScalarHead::ExpectedQ(const HeadOutput& output) const { return output.values; }

torch::Tensor ScalarHead::Compliance(const HeadOutput& output) const {
  return torch::ones({output.values.size(0)}, output.values.options());
}

TdLoss ScalarHead::Loss(const HeadOutput& online, const TdTarget& target) const {
  const torch::Tensor next_q = OfAction(target.next.values, target.next_actions).detach();
  const torch::Tensor wanted = Bootstrap(target.returns, target.discounts, next_q);
  const torch::Tensor q = OfAction(online.values, target.actions);
  const torch::Tensor rows = huber_ > 0 ? torch::huber_loss(q, wanted, at::Reduction::None, huber_) : (q - wanted).square().mul(0.5);
  return {.rows = rows, .priorities = (q.detach() - wanted).abs(), .terms = {{"scalar", rows}}, .figures = {}};
}

}  // namespace traind::worker::models
