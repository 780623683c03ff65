#include "worker/models/noisy_linear.h"

namespace traind::worker::models {

NoisyLinear::NoisyLinear(int64_t in, int64_t out, NoiseLayout& layout)
    : index_(layout.Add(in, out)),
      mu_weight_(register_parameter("mu_W", torch::zeros({out, in}))),
      sigma_weight_(register_parameter("sigma_W", torch::zeros({out, in}))),
      mu_bias_(register_parameter("mu_bias", torch::zeros({out}))),
      sigma_bias_(register_parameter("sigma_bias", torch::zeros({out}))) {}

torch::Tensor NoisyLinear::forward(const torch::Tensor& x, const Noise* noise) {
  if (noise == nullptr) return torch::linear(x, mu_weight_, mu_bias_);
  const torch::Tensor &in = noise->in(index_), &out = noise->out(index_);
  const torch::Tensor bias = torch::addcmul(mu_bias_, sigma_bias_, out);
  if (x.size(0) == 1 && !torch::GradMode::is_enabled()) {
    // One row: the noise moves to the vectors and no weight is formed.
    return torch::addmm(bias, x, mu_weight_.t()).addcmul_(torch::mm(x * in, sigma_weight_.t()), out);
  }
  return torch::linear(x, torch::addcmul(mu_weight_, sigma_weight_, torch::outer(out, in)), bias);
}

}  // namespace traind::worker::models
