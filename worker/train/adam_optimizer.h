// Adam (Kingma and Ba, 2015) as torch.optim.Adam computes it, in one fused call over the flat parameters.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "worker/train/flat_parameters.h"
#include "worker/train/named_tensor.h"

namespace traind::worker::train {

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

// Thread-compatible. `parameters` outlives it.
class AdamOptimizer {
 public:
  AdamOptimizer(FlatParameters& parameters, const AdamOptions& options);

  // One step along the gradients. Where `non_finite` (0-d float32, of ClipGlobalNorm) is 1 nothing changes but the counts of skipped
  // steps. Does not wait for the device.
  void Step(const torch::Tensor& non_finite);

  // Steps skipped so far, and since the last one that was not. These wait for the device.
  int64_t skipped() const;
  int64_t skipped_in_a_row() const;

  // After going back to weights from before the skipped steps.
  void ResetSkippedInARow() { skipped_in_a_row_.zero_(); }

  // "exp_avg.<parameter>", "exp_avg_sq.<parameter>" and "step": views of the live state.
  NamedTensors State() const;

 private:
  FlatParameters& parameters_;
  const AdamOptions options_;
  torch::Tensor exp_avg_;
  torch::Tensor exp_avg_sq_;
  torch::Tensor step_;              // 0-d float32
  torch::Tensor skipped_;           // 0-d float32
  torch::Tensor skipped_in_a_row_;  // 0-d float32
};

}  // namespace traind::worker::train
