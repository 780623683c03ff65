#include "worker/models/categorical_head.h"

#include <algorithm>
#include <cmath>

namespace traind::worker::models {
namespace {

// Two taps per atom in double: Δ as z_1 - z_0 in float32 puts T z = v_max beyond the last atom for some supports.
template <typename scalar_t>
void ProjectOnHost(const torch::Tensor& probabilities, const torch::Tensor& returns, const torch::Tensor& discounts,
                   const torch::Tensor& support, torch::Tensor& projected) {
  const int64_t rows = probabilities.size(0), atoms = probabilities.size(1);
  const auto* const z = support.data_ptr<scalar_t>();
  const auto* const reward = returns.data_ptr<scalar_t>();
  const auto* const discount = discounts.data_ptr<scalar_t>();
  const double v_min = z[0], v_max = z[atoms - 1], per_atom = static_cast<double>(atoms - 1) / (v_max - v_min);
  for (int64_t row = 0; row < rows; ++row) {
    const auto* const p = probabilities.data_ptr<scalar_t>() + row * atoms;
    auto* const m = projected.data_ptr<scalar_t>() + row * atoms;
    for (int64_t j = 0; j < atoms; ++j) {
      const double value = std::clamp(static_cast<double>(reward[row]) + static_cast<double>(discount[row]) * z[j], v_min, v_max);
      const double position = (value - v_min) * per_atom;
      const int64_t lower = std::min(static_cast<int64_t>(position), atoms - 2);
      const auto share = static_cast<scalar_t>(position - static_cast<double>(lower));
      m[lower] += p[j] * (1 - share);
      m[lower + 1] += p[j] * share;
    }
  }
}

}  // namespace

torch::Tensor ProjectDistribution(const torch::Tensor& probabilities, const torch::Tensor& returns, const torch::Tensor& discounts,
                                  const torch::Tensor& support) {
  const torch::NoGradGuard no_grad;
  if (probabilities.is_cpu()) {
    torch::Tensor projected = torch::zeros(probabilities.sizes(), probabilities.options());
    AT_DISPATCH_FLOATING_TYPES(probabilities.scalar_type(), "ProjectDistribution", [&] {
      ProjectOnHost<scalar_t>(probabilities.contiguous(), returns.contiguous(), discounts.contiguous(), support, projected);
    });
    return projected;
  }
  // Elsewhere the kernel in full, [B, N, N]: no scatter, no branch.
  const int64_t atoms = support.size(0);
  const torch::Tensor low = support[0], high = support[atoms - 1];
  const torch::Tensor values = (returns.unsqueeze(1) + discounts.unsqueeze(1) * support).clamp(low, high);
  const torch::Tensor distance = (values.unsqueeze(1) - support.unsqueeze(1)).abs().mul((atoms - 1) / (high - low));
  return ((1 - distance).clamp_min(0) * probabilities.unsqueeze(1)).sum(2);
}

torch::Tensor CategoricalKl(const torch::Tensor& target, const torch::Tensor& logits) {
  return (torch::xlogy(target, target) - target * torch::log_softmax(logits, -1)).sum(-1);
}

CategoricalHead::CategoricalHead(const StreamsShape& shape, NoiseLayout* noise, double v_min, double v_max)
    : streams_(shape, noise), support_(register_buffer("support", torch::zeros({shape.width}))) {
  streams_.Register(*this, "Q", "V");
  SetSupport(v_min, v_max);
}

void CategoricalHead::SetSupport(double v_min, double v_max) {
  support_.copy_(torch::linspace(v_min, v_max, support_.size(0), torch::kFloat64));
}

void CategoricalHead::StartNarrow() {
  constexpr double kDeviation = 2;  // atoms
  const int64_t atoms = support_.size(0);
  const torch::Tensor support = support_.to(torch::kFloat64);
  const double spacing = (support[atoms - 1] - support[0]).item<double>() / static_cast<double>(atoms - 1);
  const torch::Tensor nearest = support[support.abs().argmin()];
  streams_.AddToOutput((support - nearest).div_(kDeviation * spacing).square_().mul_(-0.5));
}

HeadOutput CategoricalHead::forward(const torch::Tensor& features, const HeadDraws& draws) {
  return {.logits = streams_.forward(features, draws.noise)};
}

torch::Tensor CategoricalHead::ExpectedQ(const HeadOutput& output) const { return torch::softmax(output.logits, -1).matmul(support_); }

// Moving a distribution's mean by δ at the least KL costs δ²/(2 Var): the curvature is 1 / Var.
torch::Tensor CategoricalHead::Compliance(const HeadOutput& output) const {
  const torch::Tensor probabilities = torch::softmax(output.logits.detach(), -1);
  return (probabilities.matmul(support_.square()) - probabilities.matmul(support_).square_()).mean(1);
}

TdLoss CategoricalHead::Loss(const HeadOutput& online, const TdTarget& target) const {
  const torch::Tensor next = torch::softmax(OfAction(target.next.logits, target.next_actions).detach(), -1);
  const torch::Tensor wanted = ProjectDistribution(next, target.returns, target.discounts, support_);
  const torch::Tensor rows = CategoricalKl(wanted, OfAction(online.logits, target.actions));
  const torch::Tensor edges = wanted.select(1, 0) + wanted.select(1, wanted.size(1) - 1);
  return {.rows = rows, .priorities = rows.detach(), .terms = {{"c51", rows}}, .figures = {{"edge_mass", edges.mean()}}};
}

}  // namespace traind::worker::models
