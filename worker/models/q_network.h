// The network of value-based agents: a trunk of linear layers and a head on its features.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "worker/models/mlp.h"
#include "worker/models/q_head.h"

namespace traind::worker::models {

struct QNetworkShape {
  int64_t observation_size = 0;
  int64_t num_actions = 0;
  std::vector<int64_t> hidden;  // widths of the trunk, at least one
};

// Parameters: model.model.<2i>.{weight,bias} for the trunk, then those of the head ("Q.model.0.weight" for a scalar one), the names of
// Tianshou's Net. Thread-compatible, as every torch module.
class QNetwork final : public torch::nn::Module {
 public:
  // Weights from (seed, name), float32.
  QNetwork(const QNetworkShape& shape, uint64_t seed);

  // [B, observation_size] → the head's prediction.
  HeadOutput forward(const torch::Tensor& observations);
  // [B, observation_size] → [B, num_actions].
  torch::Tensor ExpectedQ(const torch::Tensor& observations);
  const QHead& head() const { return *head_; }

 private:
  std::shared_ptr<Mlp> trunk_;
  std::shared_ptr<QHead> head_;
};

}  // namespace traind::worker::models
