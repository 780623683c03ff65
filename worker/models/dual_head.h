// Categorical and quantile head on one trunk. Both act: the expected value is the mean of theirs, and both losses bootstrap from the action
// that it prefers, so that they evaluate the same policy. L = KL + λ · L_iqn / N, the quantile loss as its mean over the N fractions.
#pragma once

#include <memory>

#include "worker/models/categorical_head.h"
#include "worker/models/quantile_head.h"

namespace traind::worker::models {

class DualHead final : public QHead {
 public:
  DualHead(std::shared_ptr<CategoricalHead> categorical, std::shared_ptr<QuantileHead> quantile, double quantile_weight);

  HeadOutput forward(const torch::Tensor& features, const HeadDraws& draws) override;
  torch::Tensor ExpectedQ(const HeadOutput& output) const override;
  torch::Tensor Compliance(const HeadOutput& output) const override;
  TdLoss Loss(const HeadOutput& online, const TdTarget& target) const override;

 private:
  const std::shared_ptr<CategoricalHead> categorical_;
  const std::shared_ptr<QuantileHead> quantile_;
  const double quantile_weight_;
};

}  // namespace traind::worker::models
