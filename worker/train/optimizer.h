// Adam (Kingma and Ba, 2015), AdamW (Loshchilov and Hutter, 2019) and SGD with momentum (Sutskever et al., 2013) as torch.optim computes
// them, each in one fused call over the flat parameters.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "worker/train/flat_parameters.h"
#include "worker/train/named_tensor.h"

namespace traind::worker::train {

enum class OptimizerKind { kAdam, kAdamW, kSgd };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::kAdam;
  double learning_rate = 1e-3;
  // Adam and SGD add weight_decay · w to the gradient (L2); AdamW shrinks w by learning_rate · weight_decay, apart from the gradient.
  double weight_decay = 0;
  // Adam and AdamW.
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool amsgrad = false;
  // SGD.
  double momentum = 0;
  double dampening = 0;
  bool nesterov = false;
};

// Tensors of the size of the parameters that the optimiser keeps beside them.
int64_t OptimizerStates(const OptimizerOptions& options);

// Thread-compatible. `parameters` outlives it.
class Optimizer {
 public:
  Optimizer(FlatParameters& parameters, const OptimizerOptions& options);

  // One step along the gradients. Where `non_finite` (0-d float32, of ClipGlobalNorm) is 1 nothing changes but the counts of skipped
  // steps. Does not wait for the device, except with dampening.
  void Step(const torch::Tensor& non_finite);

  // Steps skipped so far, and since the last one that was not. These wait for the device.
  int64_t skipped() const;
  int64_t skipped_in_a_row() const;

  // After going back to weights from before the skipped steps.
  void ResetSkippedInARow() { skipped_in_a_row_.zero_(); }

  // "exp_avg.<parameter>", "exp_avg_sq.<parameter>" and with amsgrad "max_exp_avg_sq.<parameter>", or with momentum
  // "momentum_buffer.<parameter>"; and "step". Views of the live state.
  NamedTensors State() const;

 private:
  std::vector<torch::Tensor> Buffer(const std::string& name) const;

  FlatParameters& parameters_;
  const OptimizerOptions options_;
  NamedTensors buffers_;            // flat, under torch.optim's names
  torch::Tensor step_;              // 0-d float32
  torch::Tensor skipped_;           // 0-d float32
  torch::Tensor skipped_in_a_row_;  // 0-d float32
};

}  // namespace traind::worker::train
