// One number per action, the value head of plain DQN.
#pragma once

#include "worker/models/q_head.h"
#include "worker/models/streams.h"

namespace traind::worker::models {

class ScalarHead final : public QHead {
 public:
  // `huber` > 0: Huber loss that turns linear there. 0: half the squared error, whose fit is the mean; between mean and median, as the
  // Huber fit is, an agent prefers what only looks better in the middle where rewards are skewed, as those of rare costly trades are.
  ScalarHead(const StreamsShape& shape, NoiseLayout* noise, double huber);

  HeadOutput forward(const torch::Tensor& features, const HeadDraws& draws) override;
  torch::Tensor ExpectedQ(const HeadOutput& output) const override;
  torch::Tensor Compliance(const HeadOutput& output) const override;
  TdLoss Loss(const HeadOutput& online, const TdTarget& target) const override;

 private:
  const Streams streams_;
  const double huber_;
};

}  // namespace traind::worker::models
