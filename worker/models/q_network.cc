#include "worker/models/q_network.h"

#include "worker/models/dual_head.h"
#include "worker/models/parameter_init.h"
#include "worker/models/scalar_head.h"

namespace traind::worker::models {
namespace {

std::vector<int64_t> TrunkWidths(const QNetworkShape& shape) {
  std::vector<int64_t> widths = {shape.observation_size};
  widths.insert(widths.end(), shape.hidden.begin(), shape.hidden.end());
  return widths;
}

StreamsShape StreamsOf(const QNetworkShape& shape, int64_t width) {
  return {.features = TrunkWidths(shape).back(),
          .hidden = shape.head_hidden,
          .num_actions = shape.num_actions,
          .width = width,
          .dueling = shape.dueling};
}

}  // namespace

QNetwork::QNetwork(const QNetworkShape& shape, uint64_t seed)
    : trunk_(register_module("model", std::make_shared<Mlp>(TrunkWidths(shape), /*activate_last=*/true))) {
  NoiseLayout* const noise = shape.noisy ? &noise_layout_ : nullptr;
  if (shape.has_c51()) categorical_ = std::make_shared<CategoricalHead>(StreamsOf(shape, shape.atoms), noise, shape.v_min, shape.v_max);
  if (shape.has_iqn()) {
    const QuantileOptions options = {.cosines = shape.cosines, .midpoints = shape.midpoints, .kappa = shape.kappa};
    quantile_ = std::make_shared<QuantileHead>(StreamsOf(shape, 1), noise, options);
  }
  if (categorical_ != nullptr && quantile_ != nullptr) {
    head_ = std::make_shared<DualHead>(categorical_, quantile_, shape.iqn_weight);
  } else if (categorical_ != nullptr) {
    head_ = categorical_;
  } else if (quantile_ != nullptr) {
    head_ = quantile_;
  } else {
    head_ = std::make_shared<ScalarHead>(StreamsOf(shape, 1), noise, shape.huber);
  }
  // The head's parts belong to the network under their own names, as in the references.
  AdoptMembers(*this, *head_);
  to(shape.dtype);
  // Anew, in full precision.
  if (categorical_ != nullptr) categorical_->SetSupport(shape.v_min, shape.v_max);
  InitializeParameters(*this, seed, shape.noisy_sigma);
  if (categorical_ != nullptr) categorical_->StartNarrow();
}

HeadOutput QNetwork::forward(const torch::Tensor& observations, const HeadDraws& draws) {
  return head_->forward(trunk_->forward(observations), draws);
}

}  // namespace traind::worker::models
