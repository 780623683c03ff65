#include "worker/models/quantile_head.h"

#include <cmath>
#include <numbers>

namespace traind::worker::models {

torch::Tensor QuantileHuberLoss(const torch::Tensor& quantiles, const torch::Tensor& fractions, const torch::Tensor& targets,
                                double kappa) {
  const torch::Tensor errors = targets.detach().unsqueeze(1) - quantiles.unsqueeze(2);
  const torch::Tensor weights = (fractions.unsqueeze(2) - errors.detach().lt(0).to(errors.scalar_type())).abs();
  const torch::Tensor huber = torch::huber_loss(errors, torch::zeros({}, errors.options()).expand_as(errors), at::Reduction::None, kappa);
  return (weights * huber).mean(2).sum(1) / kappa;
}

QuantileHead::QuantileHead(const StreamsShape& shape, NoiseLayout* noise, const QuantileOptions& options)
    : options_(options), streams_(shape, noise) {
  const auto embed = register_module("embed_model", std::make_shared<torch::nn::Module>());
  const auto net = embed->register_module("net", std::make_shared<torch::nn::Module>());
  embedding_ = net->register_module("0", torch::nn::Linear(options.cosines, shape.features));
  streams_.Register(*this, "last", "last_V");
  frequencies_ = torch::arange(1, options.cosines + 1, torch::kFloat64).mul(std::numbers::pi);
  midpoints_ = torch::arange(options.midpoints, torch::kFloat64).add(0.5).div(static_cast<double>(options.midpoints)).unsqueeze(0);
}

torch::Tensor QuantileHead::Embed(const torch::Tensor& fractions) {
  const torch::Tensor cosines = (fractions.unsqueeze(2) * frequencies_.to(fractions.options())).cos_();
  return embedding_->forward(cosines).relu_();
}

HeadOutput QuantileHead::forward(const torch::Tensor& features, const HeadDraws& draws) {
  const torch::Tensor fractions = draws.fractions.defined() ? draws.fractions : midpoints_.to(features.options());
  const int64_t count = fractions.size(1);
  // [B, 1, F] ⊙ [B or 1, N, F]: midpoints are embedded once for the whole batch.
  const torch::Tensor mixed = features.unsqueeze(1) * Embed(fractions);
  const torch::Tensor values = streams_.forward(mixed.view({-1, features.size(1)}), draws.noise).squeeze(2);
  return {.quantiles = values.view({features.size(0), count, -1}).transpose(1, 2), .fractions = fractions};
}

torch::Tensor QuantileHead::ExpectedQ(const HeadOutput& output) const { return output.quantiles.mean(2); }

// Moving all quantiles of a normal distribution of deviation σ by δ costs N δ² ∫f² / 2 = N δ² / (4 √π σ), where errors are mostly beyond κ;
// where they are within, N δ² / (4 κ).
torch::Tensor QuantileHead::Compliance(const HeadOutput& output) const {
  const torch::Tensor deviations = output.quantiles.detach().std(2, /*unbiased=*/false).mean(1);
  const auto count = static_cast<double>(output.quantiles.size(2));
  return deviations.mul_(2 * std::sqrt(std::numbers::pi)).add_(2 * options_.kappa).div_(count);
}

TdLoss QuantileHead::Loss(const HeadOutput& online, const TdTarget& target) const {
  const torch::Tensor next = OfAction(target.next.quantiles, target.next_actions).detach();
  const torch::Tensor wanted = Bootstrap(target.returns, target.discounts, next);
  const torch::Tensor rows = QuantileHuberLoss(OfAction(online.quantiles, target.actions), online.fractions, wanted, options_.kappa);
  return {.rows = rows, .priorities = rows.detach(), .terms = {{"iqn", rows}}, .figures = {}};
}

}  // namespace traind::worker::models
