#include "worker/train/optimizer.h"

#include "absl/strings/str_cat.h"

namespace traind::worker::train {
namespace {

std::vector<std::string> BufferNames(const OptimizerOptions& options) {
  if (options.kind == OptimizerKind::kSgd) {
    return options.momentum == 0 ? std::vector<std::string>{} : std::vector<std::string>{"momentum_buffer"};
  }
  std::vector<std::string> names = {"exp_avg", "exp_avg_sq"};
  if (options.amsgrad) names.emplace_back("max_exp_avg_sq");
  return names;
}

}  // namespace

int64_t OptimizerStates(const OptimizerOptions& options) { return static_cast<int64_t>(BufferNames(options).size()); }

Optimizer::Optimizer(FlatParameters& parameters, const OptimizerOptions& options)
    : parameters_(parameters),
      options_(options),
      step_(torch::zeros({}, parameters.values().options().dtype(torch::kFloat32))),
      skipped_(torch::zeros_like(step_)),
      skipped_in_a_row_(torch::zeros_like(step_)) {
  for (const std::string& name : BufferNames(options)) buffers_.push_back({name, torch::zeros_like(parameters.values())});
}

// As the fused kernels take it: a list of one tensor, or of none where the optimiser has no such buffer.
std::vector<torch::Tensor> Optimizer::Buffer(const std::string& name) const {
  for (const NamedTensor& buffer : buffers_) {
    if (buffer.name == name) return {buffer.tensor};
  }
  return {};
}

void Optimizer::Step(const torch::Tensor& non_finite) {
  const torch::NoGradGuard no_grad;
  const OptimizerOptions& o = options_;
  const std::vector<torch::Tensor> values = {parameters_.values()}, gradients = {parameters_.gradients()};
  // A buffer of zeros takes the first gradient as torch.optim does, whatever was skipped before; only dampening, which leaves the first
  // gradient whole, must know.
  const bool first = o.dampening != 0 && step_.item<float>() == 0;
  step_.add_(1);
  // The kernels leave parameters and buffers alone where found_inf is 1; the step count is the caller's.
  const auto adam = [&](auto fused) {
    fused(values, gradients, Buffer("exp_avg"), Buffer("exp_avg_sq"), Buffer("max_exp_avg_sq"), std::vector<torch::Tensor>{step_},
          o.learning_rate, o.beta1, o.beta2, o.weight_decay, o.epsilon, o.amsgrad, /*maximize=*/false, /*grad_scale=*/std::nullopt,
          /*found_inf=*/non_finite);
  };
  switch (o.kind) {
    case OptimizerKind::kAdam:
      adam(at::_ops::_fused_adam_::call);
      break;
    case OptimizerKind::kAdamW:
      adam(at::_ops::_fused_adamw_::call);
      break;
    case OptimizerKind::kSgd:
      at::_fused_sgd_(values, gradients, Buffer("momentum_buffer"), o.weight_decay, o.momentum, o.learning_rate, o.dampening, o.nesterov,
                      /*maximize=*/false, /*is_first_step=*/first, /*grad_scale=*/{}, /*found_inf=*/non_finite);
      break;
  }
  step_.sub_(non_finite);
  skipped_.add_(non_finite);
  skipped_in_a_row_.add_(1).mul_(non_finite);
}

int64_t Optimizer::skipped() const { return static_cast<int64_t>(skipped_.item<float>()); }

int64_t Optimizer::skipped_in_a_row() const { return static_cast<int64_t>(skipped_in_a_row_.item<float>()); }

NamedTensors Optimizer::State() const {
  NamedTensors state;
  for (const FlatParameters::Slice& slice : parameters_.slices()) {
    for (const NamedTensor& buffer : buffers_) {
      state.push_back({absl::StrCat(buffer.name, ".", slice.name), FlatParameters::View(buffer.tensor, slice)});
    }
  }
  state.push_back({"step", step_});
  return state;
}

}  // namespace traind::worker::train
