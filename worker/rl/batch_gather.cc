#include "worker/rl/batch_gather.h"

#include <algorithm>
#include <cmath>

#include "common/base/failure.h"
#include "worker/rl/importance.h"

namespace traind::worker::rl {
namespace {

std::span<float> Floats(torch::Tensor& tensor) { return {tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel())}; }

void FillMask(const envs::ObservationSource& source, const std::vector<envs::EnvState>& states, torch::Tensor& forbidden) {
  std::vector<uint8_t> allowed(static_cast<size_t>(source.num_actions()));
  auto* out = forbidden.data_ptr<bool>();
  for (const envs::EnvState& state : states) {
    source.ActionMask(state, allowed);
    for (const uint8_t action : allowed) *out++ = action == 0;
  }
}

}  // namespace

absl::Status Gather(const envs::ObservationSource& source, double beta, GatheredBatch& batch) {
  const size_t rows = batch.windows.size();
  std::vector<envs::EnvState> states(rows), next(rows);
  std::vector<double> probabilities(rows), weights(rows);
  DqnBatch& tensors = batch.tensors;
  auto* const actions = tensors.actions.data_ptr<int64_t>();
  const std::span<float> returns = Floats(tensors.returns), discounts = Floats(tensors.discounts), weight = Floats(tensors.weights);
  for (size_t i = 0; i < rows; ++i) {
    const Transition& window = batch.windows[i];
    states[i] = window.state;
    next[i] = window.next;
    actions[i] = window.action;
    returns[i] = static_cast<float>(window.value);
    discounts[i] = static_cast<float>(window.discount);
    probabilities[i] = window.probability;
  }
  ImportanceWeights(probabilities, *std::min_element(probabilities.begin(), probabilities.end()), beta, weights);
  std::copy(weights.begin(), weights.end(), weight.begin());
  source.Gather(states, Floats(tensors.observations));
  source.Gather(next, Floats(tensors.next_observations));
  FillMask(source, states, tensors.forbidden);
  FillMask(source, next, tensors.next_forbidden);
  const std::span<float> observed = Floats(tensors.observations);
  if (!std::all_of(observed.begin(), observed.end(), [](float value) { return std::isfinite(value); })) {
    return WithCause(absl::InvalidArgumentError("an observation of the batch holds NaN or infinity"), FailureCause::kData);
  }
  return absl::OkStatus();
}

}  // namespace traind::worker::rl
