#include "worker/rl/dqn_options.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace traind::worker::rl {
namespace {

// One key after the other, the first error kept.
class Reader {
 public:
  explicit Reader(const Params& params) : params_(params) {}

  template <typename T>
  void Read(const char* name, T& value) {
    if (!status_.ok()) return;
    absl::StatusOr<T> read = params_.Get<T>(absl::StrCat("dqn.", name));
    if (read.ok()) {
      value = *std::move(read);
    } else {
      status_ = read.status();
    }
  }
  void Read(const char* name, std::optional<double>& value) {
    if (params_.Has(absl::StrCat("dqn.", name))) Read(name, value.emplace());
  }
  const absl::Status& status() const { return status_; }

 private:
  const Params& params_;
  absl::Status status_;
};

absl::StatusOr<models::ValueHead> HeadNamed(const std::string& name) {
  if (name == "scalar") return models::ValueHead::kScalar;
  if (name == "c51") return models::ValueHead::kC51;
  if (name == "iqn") return models::ValueHead::kIqn;
  if (name == "dual") return models::ValueHead::kDual;
  return FieldErrorsStatus({{"dqn.value_head", absl::StrCat("there is no value head ", name, "; there are scalar, c51, iqn, dual")}});
}

absl::StatusOr<train::OptimizerKind> OptimizerNamed(const std::string& name) {
  if (name == "adam") return train::OptimizerKind::kAdam;
  if (name == "adamw") return train::OptimizerKind::kAdamW;
  if (name == "sgd") return train::OptimizerKind::kSgd;
  return FieldErrorsStatus({{"dqn.optimizer", absl::StrCat("there is no optimiser ", name, "; there are adam, adamw, sgd")}});
}

absl::StatusOr<double> NormOrderNamed(const std::string& name) {
  if (name == "l2") return 2;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  return FieldErrorsStatus({{"dqn.clip_norm", absl::StrCat("there is no norm ", name, "; there are l2, inf")}});
}

// What only the parts in use read: a key of another part stays unread, and is an error where the user set it.
void ReadParts(Reader& reader, DqnOptions& options) {
  models::QNetworkShape& network = options.network;
  if (network.has_c51()) {
    std::optional<double> v_min, v_max;
    reader.Read("atoms", network.atoms);
    reader.Read("v_min", v_min);
    reader.Read("v_max", v_max);
    if (v_min && v_max) options.support = {*v_min, *v_max};
  }
  if (network.has_iqn()) {
    reader.Read("quantiles", options.quantiles);
    reader.Read("target_quantiles", options.target_quantiles);
    reader.Read("acting_quantiles", network.midpoints);
    reader.Read("cosines", network.cosines);
    reader.Read("kappa", network.kappa);
    if (network.has_c51()) reader.Read("iqn_weight", network.iqn_weight);
  }
  if (network.noisy) {
    reader.Read("noisy_sigma", network.noisy_sigma);
  } else {
    reader.Read("epsilon_start", options.epsilon_start);
    reader.Read("epsilon_end", options.epsilon_end);
    reader.Read("epsilon_fraction", options.epsilon_fraction);
  }
  if (options.prioritized) {
    reader.Read("priority_exponent", options.priority_exponent);
    reader.Read("priority_beta", options.priority_beta);
  }
  if (options.optimizer.kind == train::OptimizerKind::kSgd) {
    reader.Read("momentum", options.optimizer.momentum);
  } else {
    reader.Read("adam_epsilon", options.optimizer.epsilon);
  }
  reader.Read("target_tau", options.target_tau);
  if (!options.target_tau) reader.Read("target_every", options.target_every);
}

}  // namespace

absl::StatusOr<DqnOptions> DqnOptions::FromParams(const Params& params) {
  DqnOptions options;
  Reader reader(params);
  std::string head, optimizer, norm;
  reader.Read("value_head", head);
  reader.Read("dueling", options.network.dueling);
  reader.Read("noisy", options.network.noisy);
  reader.Read("hidden", options.network.hidden);
  // An empty list is an absent one.
  if (params.Has("dqn.head_hidden")) reader.Read("head_hidden", options.network.head_hidden);
  reader.Read("steps", options.steps);
  reader.Read("optimizer", optimizer);
  reader.Read("learning_rate", options.optimizer.learning_rate);
  reader.Read("weight_decay", options.optimizer.weight_decay);
  reader.Read("gamma", options.gamma);
  reader.Read("batch_size", options.batch_size);
  reader.Read("replay_capacity", options.replay_capacity);
  reader.Read("warmup_steps", options.warmup_steps);
  reader.Read("train_every", options.train_every);
  reader.Read("double_dqn", options.double_dqn);
  reader.Read("n_step", options.n_step);
  if (options.n_step > 1) reader.Read("cut_exploratory", options.cut_exploratory);
  reader.Read("prioritized", options.prioritized);
  reader.Read("sample_lag", options.sample_lag);
  reader.Read("max_grad_norm", options.max_grad_norm);
  reader.Read("clip_norm", norm);
  reader.Read("reward_clip", options.reward_clip);
  reader.Read("cql_alpha", options.cql_alpha);
  RETURN_IF_ERROR(reader.status());
  ASSIGN_OR_RETURN(options.network.value_head, HeadNamed(head));
  ASSIGN_OR_RETURN(options.optimizer.kind, OptimizerNamed(optimizer));
  ASSIGN_OR_RETURN(options.clip_norm_order, NormOrderNamed(norm));
  ReadParts(reader, options);
  RETURN_IF_ERROR(reader.status());
  return options;
}

}  // namespace traind::worker::rl
