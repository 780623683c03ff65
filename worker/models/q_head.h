// What a value-based agent predicts of each action, and the loss that trains it. Scalar values here; a head with more than one number
// per action (a distribution, quantiles) is another implementation, and the trainer does not change.
#pragma once

#include <torch/nn/module.h>

namespace traind::worker::models {

// A head's prediction for a batch of B states.
struct HeadOutput {
  torch::Tensor values;  // [B, A] or [B, A, …], of the parameters' dtype
};

// The temporal-difference target of a batch, the part that every head shares.
struct TdTarget {
  torch::Tensor actions;       // [B] int64, the actions taken
  torch::Tensor returns;       // [B], discounted sum of the rewards of the step
  torch::Tensor discounts;     // [B], factor of the next state's value; 0 where the step terminated
  HeadOutput next;             // of the target network at the next states
  torch::Tensor next_actions;  // [B] int64, the actions whose value is bootstrapped
};

struct TdLoss {
  torch::Tensor rows;  // [B], the loss of each transition, with gradient
  torch::Tensor q;     // [B], expected value of the actions taken, without gradient
};

// Thread-compatible, as every torch module.
class QHead : public torch::nn::Module {
 public:
  // features [B, F] → prediction.
  virtual HeadOutput forward(const torch::Tensor& features) = 0;
  // Expected value of each action [B, A]. What the policy and the choice of the next action maximise.
  virtual torch::Tensor ExpectedQ(const HeadOutput& output) const = 0;
  // `online` is the prediction at the states that the actions were taken in. No gradient flows into the target.
  virtual TdLoss Loss(const HeadOutput& online, const TdTarget& target) const = 0;
};

}  // namespace traind::worker::models
