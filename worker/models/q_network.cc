#include "worker/models/q_network.h"

#include "worker/models/parameter_init.h"
#include "worker/models/scalar_head.h"

namespace traind::worker::models {
namespace {

std::vector<int64_t> TrunkWidths(const QNetworkShape& shape) {
  std::vector<int64_t> widths = {shape.observation_size};
  widths.insert(widths.end(), shape.hidden.begin(), shape.hidden.end());
  return widths;
}

}  // namespace

QNetwork::QNetwork(const QNetworkShape& shape, uint64_t seed)
    : trunk_(register_module("model", std::make_shared<Mlp>(TrunkWidths(shape), /*activate_last=*/true))),
      head_(std::make_shared<ScalarHead>(shape.hidden.back(), shape.num_actions)) {
  // The head's parameters belong to the network under their own names, as in the reference.
  for (const auto& child : head_->named_children()) register_module(child.key(), child.value());
  InitializeParameters(*this, seed);
}

HeadOutput QNetwork::forward(const torch::Tensor& observations) { return head_->forward(trunk_->forward(observations)); }

torch::Tensor QNetwork::ExpectedQ(const torch::Tensor& observations) { return head_->ExpectedQ(forward(observations)); }

}  // namespace traind::worker::models
