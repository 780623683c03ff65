// The network of value-based agents: a trunk of linear layers and a head on its features.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "worker/models/categorical_head.h"
#include "worker/models/mlp.h"
#include "worker/models/q_head.h"
#include "worker/models/quantile_head.h"

namespace traind::worker::models {

enum class ValueHead { kScalar, kC51, kIqn, kDual };

struct QNetworkShape {
  int64_t observation_size = 0;
  int64_t num_actions = 0;
  std::vector<int64_t> hidden;       // widths of the trunk; without any, the head sees the observations
  std::vector<int64_t> head_hidden;  // of each stream of the head; may be empty
  ValueHead value_head = ValueHead::kDual;
  bool dueling = true;
  bool noisy = true;
  double noisy_sigma = 0.5;  // σ0: σ starts at σ0/√fan-in
  int64_t atoms = 51;
  double v_min = -10, v_max = 10;
  int64_t cosines = 64;
  int64_t midpoints = 32;
  double kappa = 1;                      // of the quantile loss
  double iqn_weight = 1;                 // λ of the dual head
  double huber = 0;                      // of the scalar head
  torch::Dtype dtype = torch::kFloat32;  // of the parameters

  bool has_c51() const { return value_head == ValueHead::kC51 || value_head == ValueHead::kDual; }
  bool has_iqn() const { return value_head == ValueHead::kIqn || value_head == ValueHead::kDual; }
};

// Parameters: model.model.<2i>.{weight,bias} for the trunk, Q and V for the streams of the scalar and categorical head, embed_model, last
// and last_V for those of the quantile head: the names of Tianshou's networks, last_V being ours. Thread-compatible, as every torch module.
class QNetwork final : public torch::nn::Module {
 public:
  // Weights from (seed, name).
  QNetwork(const QNetworkShape& shape, uint64_t seed);

  // [B, observation_size] → the head's prediction.
  HeadOutput forward(const torch::Tensor& observations, const HeadDraws& draws);
  // [B, observation_size] → [B, num_actions].
  torch::Tensor ExpectedQ(const torch::Tensor& observations, const HeadDraws& draws) {
    return head_->ExpectedQ(forward(observations, draws));
  }

  const QHead& head() const { return *head_; }
  // The noisy layers, none without `noisy`.
  const NoiseLayout& noise_layout() const { return noise_layout_; }
  // The categorical part of the head; null if it has none.
  CategoricalHead* categorical() { return categorical_.get(); }
  // The quantile part likewise.
  QuantileHead* quantile() { return quantile_.get(); }

 private:
  NoiseLayout noise_layout_;
  std::shared_ptr<Mlp> trunk_;
  std::shared_ptr<CategoricalHead> categorical_;
  std::shared_ptr<QuantileHead> quantile_;
  std::shared_ptr<QHead> head_;
};

}  // namespace traind::worker::models
