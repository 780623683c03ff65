// C51 (Bellemare et al., "A distributional perspective on reinforcement learning", ICML 2017): a distribution over fixed atoms per action.
#pragma once

#include <cstdint>

#include "worker/models/q_head.h"
#include "worker/models/streams.h"

namespace traind::worker::models {

// Mass p_j of atom j goes to T z_j = clip(R + γ^m z_j, v_min, v_max) and from there to the two nearest atoms by the triangular kernel
// m_i = Σ_j max(0, 1 - |T z_j - z_i| / Δ) p_j, which loses no mass where T z_j is an atom.
// probabilities [B, N], returns and discounts [B], support [N] ascending and evenly spaced → [B, N]. Without gradient.
torch::Tensor ProjectDistribution(const torch::Tensor& probabilities, const torch::Tensor& returns, const torch::Tensor& discounts,
                                  const torch::Tensor& support);

// KL(m ‖ softmax(logits)) = Σ m log m - Σ m log p of each row, with 0 log 0 = 0: [B, N], [B, N] → [B], with the cross entropy's gradient
// p - m. Not the cross entropy, whose value of a perfectly fitted but spread target is its entropy: priorities would never fall.
torch::Tensor CategoricalKl(const torch::Tensor& target, const torch::Tensor& logits);

class CategoricalHead final : public QHead {
 public:
  // `shape.width` atoms, 2 at least, evenly from v_min to v_max, v_min < v_max.
  CategoricalHead(const StreamsShape& shape, NoiseLayout* noise, double v_min, double v_max);

  // Moves the atoms; before training only, a distribution learned on other atoms means nothing.
  void SetSupport(double v_min, double v_max);
  const torch::Tensor& support() const { return support_; }
  // Lets the initial distributions lie around 0, some atoms wide, instead of being flat over the support. A flat one is many times wider
  // than the returns: it takes γ^k for ever to narrow, its loss hardly sees a difference of values meanwhile, and noise on its logits moves
  // values by its width. Once, after the parameters were filled.
  void StartNarrow();

  HeadOutput forward(const torch::Tensor& features, const HeadDraws& draws) override;
  torch::Tensor ExpectedQ(const HeadOutput& output) const override;
  torch::Tensor Compliance(const HeadOutput& output) const override;
  // Figure "edge_mass": the target's mass on the two outer atoms. Much of it says that the support is too narrow.
  TdLoss Loss(const HeadOutput& online, const TdTarget& target) const override;

 private:
  const Streams streams_;
  torch::Tensor support_;  // buffer "support" [atoms]
};

}  // namespace traind::worker::models
