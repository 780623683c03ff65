// One number per action, trained with half the squared error. Not the Huber loss: its fit lies between mean and median, and where rewards
// are skewed, as those of rare costly trades are, the agent then prefers what only looks better in the middle.
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
