// The last layers of every value head: one stack per action, or two stacks, value and advantage, combined as
// Z_i(a) = V_i + A_i(a) - mean over a' of A_i(a') (Wang et al., "Dueling network architectures", ICML 2016, eq. 9). The mean runs over
// actions, once per atom or quantile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worker/models/mlp.h"

namespace traind::worker::models {

struct StreamsShape {
  int64_t features = 0;
  std::vector<int64_t> hidden;  // of each stream; may be empty
  int64_t num_actions = 0;
  int64_t width = 1;  // numbers per action
  bool dueling = true;
};

// Not a module: its stacks belong to the head that registers them.
class Streams {
 public:
  // `noise` as in Mlp.
  Streams(const StreamsShape& shape, NoiseLayout* noise);

  // Registers the stacks on `owner` as `advantage` and, if dueling, `value`.
  void Register(torch::nn::Module& owner, const std::string& advantage, const std::string& value) const;

  // Adds `values` [width] to what every action is given, by the last biases.
  void AddToOutput(const torch::Tensor& values) const;

  // features [R, F] → [R, A, width].
  torch::Tensor forward(const torch::Tensor& features, const Noise* noise) const;

 private:
  const StreamsShape shape_;
  std::shared_ptr<Mlp> advantage_, value_;
};

}  // namespace traind::worker::models
