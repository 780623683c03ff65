#include "worker/models/streams.h"

namespace traind::worker::models {
namespace {

std::vector<int64_t> Widths(const StreamsShape& shape, int64_t outputs) {
  std::vector<int64_t> widths = {shape.features};
  widths.insert(widths.end(), shape.hidden.begin(), shape.hidden.end());
  widths.push_back(outputs);
  return widths;
}

}  // namespace

Streams::Streams(const StreamsShape& shape, NoiseLayout* noise) : shape_(shape) {
  advantage_ = std::make_shared<Mlp>(Widths(shape, shape.num_actions * shape.width), /*activate_last=*/false, noise);
  if (shape.dueling) value_ = std::make_shared<Mlp>(Widths(shape, shape.width), /*activate_last=*/false, noise);
}

void Streams::Register(torch::nn::Module& owner, const std::string& advantage, const std::string& value) const {
  owner.register_module(advantage, advantage_);
  if (value_ != nullptr) owner.register_module(value, value_);
}

void Streams::AddToOutput(const torch::Tensor& values) const {
  const torch::NoGradGuard no_grad;
  Mlp& last = value_ != nullptr ? *value_ : *advantage_;
  last.output_bias().view({-1, shape_.width}).add_(values.to(last.output_bias().options()));
}

torch::Tensor Streams::forward(const torch::Tensor& features, const Noise* noise) const {
  const torch::Tensor advantage = advantage_->forward(features, noise).view({-1, shape_.num_actions, shape_.width});
  if (value_ == nullptr) return advantage;
  const torch::Tensor value = value_->forward(features, noise).view({-1, 1, shape_.width});
  return advantage + (value - advantage.mean(1, /*keepdim=*/true));
}

}  // namespace traind::worker::models
