// The gradient of a batch in parts.
#pragma once

#include <torch/types.h>

namespace traind::worker::train {

// Each part's loss is its sum over what counts, divided by the count of the whole batch, of all its parts and ranks: the parts' gradients
// then add up to the whole's however ragged the parts are, which the mean of the parts' means does not. Thread-compatible.
class GradientAccumulator {
 public:
  // What the loss is a mean over in the whole batch: rows, or entries that are not masked. > 0.
  explicit GradientAccumulator(double count) : count_(count) {}

  // `sum` of the losses of one part, 0-d. Adds its share to the gradients of all it was computed from.
  void Add(const torch::Tensor& sum) {
    const torch::Tensor share = sum / count_;
    share.backward();
    loss_ = loss_.defined() ? loss_ + share.detach() : share.detach();
  }
  // Of the parts so far, 0-d, without gradient; undefined before the first.
  const torch::Tensor& loss() const { return loss_; }

 private:
  const double count_;
  torch::Tensor loss_;
};

}  // namespace traind::worker::train
