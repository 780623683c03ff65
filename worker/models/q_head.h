// What a value-based agent predicts of each action, and the loss that trains it. A head knows its distribution; the agent that uses it
// knows expected values and losses only, so that changing the head changes no agent.
#pragma once

#include <torch/nn/module.h>

#include <map>
#include <string>

#include "worker/models/noise.h"

namespace traind::worker::models {

// A head's prediction for a batch of B states and A actions. Which tensors are set is the head's; all have the parameters' dtype.
struct HeadOutput {
  torch::Tensor values;     // [B, A], scalar head
  torch::Tensor logits;     // [B, A, atoms], categorical head
  torch::Tensor quantiles;  // [B, A, N], quantile head
  torch::Tensor fractions;  // [B or 1, N], where the quantiles were asked for
};

// What a forward pass draws from, all explicit.
struct HeadDraws {
  const Noise* noise = nullptr;  // null: the means of noisy layers
  torch::Tensor fractions;       // [B, N] in (0, 1) for the quantile head; undefined: the K midpoints (i + ½)/K
};

// The temporal-difference target of a batch.
struct TdTarget {
  torch::Tensor actions;       // [B] int64, the actions taken
  torch::Tensor returns;       // [B], discounted sum of the rewards of the window
  torch::Tensor discounts;     // [B], factor of the bootstrapped value; 0 where the window terminated
  HeadOutput next;             // of the target network at the states bootstrapped from
  torch::Tensor next_actions;  // [B] int64, the actions whose value is bootstrapped
};

struct TdLoss {
  torch::Tensor rows;        // [B], the loss of each transition, with gradient
  torch::Tensor priorities;  // [B] ≥ 0, how surprising each transition was, without gradient
  // The terms of `rows` by name, weighted as in it: "scalar", "c51", "iqn".
  std::map<std::string, torch::Tensor> terms;
  // Means over the batch that show a part at work: "edge_mass".
  std::map<std::string, torch::Tensor> figures;
};

// Thread-compatible, as every torch module.
class QHead : public torch::nn::Module {
 public:
  // features [B, F] → prediction.
  virtual HeadOutput forward(const torch::Tensor& features, const HeadDraws& draws) = 0;
  // Expected value of each action [B, A]. What the policy and the choice of the next action maximise.
  virtual torch::Tensor ExpectedQ(const HeadOutput& output) const = 0;
  // [B], without gradient: by how much a gradient of 1 on an action's expected value moves it before the head's loss holds it, that is the
  // inverse of the loss's curvature in that value, at a fit. A term beside the loss is divided by it, so that its weight is the most that
  // it moves a value by, whatever the head and the scale of rewards.
  virtual torch::Tensor Compliance(const HeadOutput& output) const = 0;
  // `online` is the prediction at the states that the actions were taken in. No gradient flows into the target.
  virtual TdLoss Loss(const HeadOutput& online, const TdTarget& target) const = 0;
};

// Makes the children and buffers of `from` those of `to` under the same names, as state dictionaries of the references have them.
void AdoptMembers(torch::nn::Module& to, const torch::nn::Module& from);

// R_m + γ^m · next, what a value is moved towards: returns and discounts [B], next [B, …] → [B, …].
torch::Tensor Bootstrap(const torch::Tensor& returns, const torch::Tensor& discounts, const torch::Tensor& next);

// The row of each sample's action: per_action [B, A, …], actions [B] int64 → [B, …].
torch::Tensor OfAction(const torch::Tensor& per_action, const torch::Tensor& actions);

}  // namespace traind::worker::models
