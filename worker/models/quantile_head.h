// IQN (Dabney et al., "Implicit quantile networks", ICML 2018): the value of any quantile of the return, asked for by its fraction τ.
#pragma once

#include <cstdint>
#include <memory>

#include "worker/models/q_head.h"
#include "worker/models/streams.h"

namespace traind::worker::models {

// ρ_ij = |τ_i - 1(δ_ij < 0)| · Huber_κ(δ_ij) / κ with δ_ij = target_j - quantile_i; summed over the N online fractions i, averaged over the
// N' target samples j. quantiles and fractions [B, N], targets [B, N'] without gradient, κ > 0 → [B].
torch::Tensor QuantileHuberLoss(const torch::Tensor& quantiles, const torch::Tensor& fractions, const torch::Tensor& targets, double kappa);

struct QuantileOptions {
  int64_t cosines = 64;
  int64_t midpoints = 32;  // K, where no fractions are given
  double kappa = 1;
};

class QuantileHead final : public QHead {
 public:
  QuantileHead(const StreamsShape& shape, NoiseLayout* noise, const QuantileOptions& options);

  HeadOutput forward(const torch::Tensor& features, const HeadDraws& draws) override;
  // The mean over the fractions.
  torch::Tensor ExpectedQ(const HeadOutput& output) const override;
  torch::Tensor Compliance(const HeadOutput& output) const override;
  TdLoss Loss(const HeadOutput& online, const TdTarget& target) const override;

  // ψ_j(τ) = ReLU(Σ_i cos(π i τ) W_ij + b_j), i = 1 … cosines: fractions [R, N] → [R, N, F].
  torch::Tensor Embed(const torch::Tensor& fractions);

 private:
  const QuantileOptions options_;
  torch::nn::Linear embedding_{nullptr};
  const Streams streams_;
  // Constants, float64 whatever the parameters are.
  torch::Tensor frequencies_;  // π i, [cosines]
  torch::Tensor midpoints_;    // [1, K]
};

}  // namespace traind::worker::models
