// One update of a value network: Double DQN target (van Hasselt et al., 2016), the head's loss weighted by importance, CQL, clipping,
// optimiser, target network. What an agent stores, how it acts and when it learns is not its business.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/base/rng.h"
#include "worker/models/q_network.h"
#include "worker/rl/dqn_batch.h"
#include "worker/rl/dqn_options.h"
#include "worker/train/flat_parameters.h"
#include "worker/train/gradient_clip.h"
#include "worker/train/optimizer.h"
#include "worker/train/trainer.h"

namespace traind::worker::rl {

// All 0-d or as given, without gradient.
struct UpdateResult {
  torch::Tensor loss;        // mean over the batch, all terms
  torch::Tensor q;           // mean expected value of the actions taken
  torch::Tensor priorities;  // [B]
  train::ClipResult clip;
  std::map<std::string, torch::Tensor> figures;  // the head's, and "cql"
};

// Thread-compatible.
class DqnLearner {
 public:
  // `options.network` with the environment's sizes filled in. Batches have its dtype.
  DqnLearner(const DqnOptions& options, uint64_t seed);

  // Updates once, in micro-batches of at most `micro_batch` rows, whose sum is the gradient of the whole batch. `cql_alpha` as of now.
  UpdateResult Update(const DqnBatch& batch, double cql_alpha, int64_t micro_batch);

  // Share of each term of the loss ("c51", "iqn", "scalar", "cql") in the sum of the norms of their gradients, by the draws of the last
  // update. Costs a backward pass per term.
  std::map<std::string, double> GradientShares(const DqnBatch& batch, double cql_alpha);

  models::QNetwork& online() { return online_; }
  const models::QNetwork& online() const { return online_; }
  const models::QNetwork& target() const { return target_; }
  const models::Noise& online_noise() const { return online_noise_; }
  const models::Noise& target_noise() const { return target_noise_; }
  const train::Optimizer& optimizer() const { return optimizer_; }
  int64_t updates() const { return updates_; }
  // Norm of the difference of online and target weights.
  double target_distance() const;

  // Moves the atoms of both networks; before the first update only.
  void SetSupport(const ValueSupport& support);
  // A copy of everything an update changes, and back to it.
  struct Snapshot {
    torch::Tensor online, target;
    train::NamedTensors optimizer;
  };
  Snapshot Save() const;
  void Restore(const Snapshot& snapshot);
  void AddState(train::TrainerState& state) const;

 private:
  // The terms of the loss of some rows by name: [rows] each, weighted as in the sum, with gradient.
  struct Terms {
    std::map<std::string, torch::Tensor> rows;
    torch::Tensor priorities, q;
    std::map<std::string, torch::Tensor> figures;
  };
  Terms Forward(const DqnBatch& batch, int64_t begin, int64_t count, double cql_alpha);
  void DrawFractions(torch::Tensor& fractions);
  void UpdateTarget();

  const DqnOptions options_;
  models::QNetwork online_;
  models::QNetwork target_;
  train::FlatParameters parameters_;
  train::FlatParameters target_parameters_;
  train::Optimizer optimizer_;
  models::Noise online_noise_, target_noise_;
  torch::Tensor online_fractions_, target_fractions_;  // [B, N], [B, N']; undefined without the quantile head
  RandomStream noise_random_, target_noise_random_, fraction_random_;
  int64_t updates_ = 0;
};

}  // namespace traind::worker::rl
