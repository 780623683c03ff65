// One number per action, trained with the Huber loss (threshold 1).
#pragma once

#include <cstdint>
#include <memory>

#include "worker/models/mlp.h"
#include "worker/models/q_head.h"

namespace traind::worker::models {

class ScalarHead final : public QHead {
 public:
  ScalarHead(int64_t features, int64_t num_actions);

  HeadOutput forward(const torch::Tensor& features) override;
  torch::Tensor ExpectedQ(const HeadOutput& output) const override;
  TdLoss Loss(const HeadOutput& online, const TdTarget& target) const override;

 private:
  std::shared_ptr<Mlp> q_;
};

}  // namespace traind::worker::models
