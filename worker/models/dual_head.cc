#include "worker/models/dual_head.h"

#include <utility>

namespace traind::worker::models {

DualHead::DualHead(std::shared_ptr<CategoricalHead> categorical, std::shared_ptr<QuantileHead> quantile, double quantile_weight)
    : categorical_(std::move(categorical)), quantile_(std::move(quantile)), quantile_weight_(quantile_weight) {
  AdoptMembers(*this, *categorical_);
  AdoptMembers(*this, *quantile_);
}

HeadOutput DualHead::forward(const torch::Tensor& features, const HeadDraws& draws) {
  HeadOutput output = quantile_->forward(features, draws);
  output.logits = categorical_->forward(features, draws).logits;
  return output;
}

torch::Tensor DualHead::ExpectedQ(const HeadOutput& output) const {
  return (categorical_->ExpectedQ(output) + quantile_->ExpectedQ(output)).mul_(0.5);
}

// Half of a gradient on the mean of two values goes to each, and the mean moves by half of what each does.
torch::Tensor DualHead::Compliance(const HeadOutput& output) const {
  const double quantile_share = static_cast<double>(output.quantiles.size(2)) / quantile_weight_;
  return categorical_->Compliance(output).add_(quantile_->Compliance(output), quantile_share).mul_(0.25);
}

TdLoss DualHead::Loss(const HeadOutput& online, const TdTarget& target) const {
  TdLoss loss = categorical_->Loss(online, target);
  const torch::Tensor quantile = quantile_->Loss(online, target).rows * (quantile_weight_ / static_cast<double>(online.fractions.size(1)));
  loss.rows = loss.rows + quantile;
  loss.priorities = loss.rows.detach();
  loss.terms["iqn"] = quantile;
  return loss;
}

}  // namespace traind::worker::models
