#include "worker/models/parameter_init.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/rng.h"

namespace traind::worker::models {
namespace {

// Inputs of the layer that `name` belongs to.
int64_t FanIn(const torch::OrderedDict<std::string, torch::Tensor>& parameters, absl::string_view name, const torch::Tensor& parameter) {
  for (const auto& [bias, weight] : {std::pair("sigma_bias", "mu_W"), std::pair("mu_bias", "mu_W"), std::pair("bias", "weight")}) {
    absl::string_view layer = name;
    if (!absl::ConsumeSuffix(&layer, bias)) continue;
    if (const torch::Tensor* matrix = parameters.find(absl::StrCat(layer, weight))) return matrix->size(1);
  }
  return parameter.dim() > 1 ? parameter.size(1) : parameter.numel();
}

}  // namespace

void InitializeParameters(torch::nn::Module& module, uint64_t seed, double noisy_sigma) {
  torch::NoGradGuard no_grad;
  const auto parameters = module.named_parameters();
  for (const auto& item : parameters) {
    const torch::Tensor& parameter = item.value();
    const double bound = 1.0 / std::sqrt(static_cast<double>(FanIn(parameters, item.key(), parameter)));
    if (absl::EndsWith(item.key(), "sigma_W") || absl::EndsWith(item.key(), "sigma_bias")) {
      parameter.fill_(noisy_sigma * bound);
      continue;
    }
    RandomStream random(HashKey(HashKey(seed, "init"), item.key()));
    torch::Tensor values = torch::empty(parameter.sizes(), torch::kFloat64);
    double* data = values.data_ptr<double>();
    for (int64_t i = 0; i < values.numel(); ++i) data[i] = (2.0 * random.Uniform() - 1.0) * bound;
    parameter.copy_(values);
  }
}

}  // namespace traind::worker::models
