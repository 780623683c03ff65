#include "worker/rl/dqn_batch.h"

namespace traind::worker::rl {

DqnBatch DqnBatch::Zeros(int64_t rows, int64_t observation_size, int64_t num_actions) {
  return {.observations = torch::zeros({rows, observation_size}),
          .next_observations = torch::zeros({rows, observation_size}),
          .actions = torch::zeros({rows}, torch::kInt64),
          .returns = torch::zeros({rows}),
          .discounts = torch::zeros({rows}),
          .weights = torch::ones({rows}),
          .forbidden = torch::zeros({rows, num_actions}, torch::kBool),
          .next_forbidden = torch::zeros({rows, num_actions}, torch::kBool)};
}

DqnBatch DqnBatch::Rows(int64_t begin, int64_t count) const {
  const auto part = [&](const torch::Tensor& tensor) { return tensor.narrow(0, begin, count); };
  return {part(observations), part(next_observations), part(actions),   part(returns),
          part(discounts),    part(weights),           part(forbidden), part(next_forbidden)};
}

}  // namespace traind::worker::rl
