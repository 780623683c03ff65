#include "worker/train/adam_optimizer.h"

#include "absl/strings/str_cat.h"

namespace traind::worker::train {

AdamOptimizer::AdamOptimizer(FlatParameters& parameters, const AdamOptions& options)
    : parameters_(parameters),
      options_(options),
      exp_avg_(torch::zeros_like(parameters.values())),
      exp_avg_sq_(torch::zeros_like(parameters.values())),
      step_(torch::zeros({}, parameters.values().options().dtype(torch::kFloat32))),
      skipped_(torch::zeros_like(step_)),
      skipped_in_a_row_(torch::zeros_like(step_)) {}

void AdamOptimizer::Step(const torch::Tensor& non_finite) {
  torch::NoGradGuard no_grad;
  step_.add_(1);
  // The kernel leaves parameters and moments alone where found_inf is 1; the step count is the caller's.
  at::_fused_adam_({parameters_.values()}, {parameters_.gradients()}, {exp_avg_}, {exp_avg_sq_}, /*max_exp_avg_sqs=*/{}, {step_},
                   options_.learning_rate, options_.beta1, options_.beta2, /*weight_decay=*/0, options_.epsilon, /*amsgrad=*/false,
                   /*maximize=*/false, /*grad_scale=*/{}, /*found_inf=*/non_finite);
  step_.sub_(non_finite);
  skipped_.add_(non_finite);
  skipped_in_a_row_.add_(1).mul_(non_finite);
}

int64_t AdamOptimizer::skipped() const { return static_cast<int64_t>(skipped_.item<float>()); }

int64_t AdamOptimizer::skipped_in_a_row() const { return static_cast<int64_t>(skipped_in_a_row_.item<float>()); }

NamedTensors AdamOptimizer::State() const {
  NamedTensors state;
  for (const FlatParameters::Slice& slice : parameters_.slices()) {
    state.push_back({absl::StrCat("exp_avg.", slice.name), FlatParameters::View(exp_avg_, slice)});
    state.push_back({absl::StrCat("exp_avg_sq.", slice.name), FlatParameters::View(exp_avg_sq_, slice)});
  }
  state.push_back({"step", step_});
  return state;
}

}  // namespace traind::worker::train
