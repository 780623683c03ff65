#include "worker/rl/dqn_options.h"

#include "common/base/status.h"

namespace traind::worker::rl {

absl::StatusOr<DqnOptions> DqnOptions::FromParams(const Params& params) {
  DqnOptions options;
  ASSIGN_OR_RETURN(options.steps, params.Get<int64_t>("dqn.steps"));
  ASSIGN_OR_RETURN(options.learning_rate, params.Get<double>("dqn.learning_rate"));
  ASSIGN_OR_RETURN(options.gamma, params.Get<double>("dqn.gamma"));
  ASSIGN_OR_RETURN(options.batch_size, params.Get<int64_t>("dqn.batch_size"));
  ASSIGN_OR_RETURN(options.replay_capacity, params.Get<int64_t>("dqn.replay_capacity"));
  ASSIGN_OR_RETURN(options.warmup_steps, params.Get<int64_t>("dqn.warmup_steps"));
  ASSIGN_OR_RETURN(options.train_every, params.Get<int64_t>("dqn.train_every"));
  ASSIGN_OR_RETURN(options.target_every, params.Get<int64_t>("dqn.target_every"));
  ASSIGN_OR_RETURN(options.hidden, params.Get<std::vector<int64_t>>("dqn.hidden"));
  ASSIGN_OR_RETURN(options.double_dqn, params.Get<bool>("dqn.double_dqn"));
  ASSIGN_OR_RETURN(options.epsilon_start, params.Get<double>("dqn.epsilon_start"));
  ASSIGN_OR_RETURN(options.epsilon_end, params.Get<double>("dqn.epsilon_end"));
  ASSIGN_OR_RETURN(options.epsilon_fraction, params.Get<double>("dqn.epsilon_fraction"));
  ASSIGN_OR_RETURN(options.adam_epsilon, params.Get<double>("dqn.adam_epsilon"));
  ASSIGN_OR_RETURN(options.max_grad_norm, params.Get<double>("dqn.max_grad_norm"));
  ASSIGN_OR_RETURN(options.reward_clip, params.Get<double>("dqn.reward_clip"));
  return options;
}

}  // namespace traind::worker::rl
