// Parameters as a worker gets them: what a job file may leave out, filled in.
#pragma once

#include <string>

#include "common/base/params.h"
#include "common/os/files.h"
#include "common/os/unique_fd.h"

namespace traind::worker {

// Opens paths below `folder` as they are.
inline auto OpenBelow(const std::string& folder) {
  return [folder](absl::string_view path) { return os::OpenBeneath(folder, std::string(path)); };
}

// data.* of one CSV file.
inline Params DataParams(const std::string& path) {
  Params params;
  const auto set = [&](const std::string& key, ParamValue value) { params.Set(key, std::move(value), false); };
  set("data.sources[0].path", path);
  set("data.sources[0].layout", std::string("auto"));
  set("data.sources[0].date_format", std::string("auto"));
  set("data.sources[0].timezone", std::string("UTC"));
  set("data.price", std::string("auto"));
  set("data.window", int64_t{10});
  for (const char* check : {"duplicate", "unsorted", "missing"}) set(std::string("data.policy.") + check, std::string("error"));
  for (const char* check : {"ohlc", "zero_volume", "gap"}) set(std::string("data.policy.") + check, std::string("mark"));
  set("data.policy.max_gap", 5.0);
  return params;
}

// dqn.* and what every job has.
inline void AddDqn(Params& params) {
  const auto set = [&](const char* key, ParamValue value) { params.Set(key, std::move(value), false); };
  set("seed", int64_t{1});
  set("resources.threads", int64_t{1});
  set("limits.memory", std::string("4GiB"));
  set("checkpoint.every", std::string("60s"));
  set("checkpoint.keep_last", int64_t{3});
  set("dqn.steps", int64_t{60'000});
  set("dqn.optimizer", std::string("adam"));
  set("dqn.learning_rate", 1e-3);
  set("dqn.weight_decay", 0.0);
  set("dqn.momentum", 0.9);
  set("dqn.gamma", 0.99);
  set("dqn.batch_size", int64_t{64});
  set("dqn.replay_capacity", int64_t{50'000});
  set("dqn.warmup_steps", int64_t{1000});
  set("dqn.train_every", int64_t{4});
  set("dqn.target_every", int64_t{200});
  set("dqn.hidden", std::vector<int64_t>{64, 64});
  set("dqn.value_head", std::string("scalar"));
  set("dqn.head_hidden", std::vector<int64_t>{});
  set("dqn.double_dqn", true);
  for (const char* part : {"dqn.dueling", "dqn.noisy", "dqn.prioritized"}) set(part, false);
  set("dqn.noisy_sigma", 0.5);
  set("dqn.epsilon_start", 1.0);
  set("dqn.epsilon_end", 0.05);
  set("dqn.epsilon_fraction", 0.3);
  set("dqn.n_step", int64_t{1});
  set("dqn.priority_exponent", 0.5);
  set("dqn.priority_beta", 0.4);
  set("dqn.sample_lag", int64_t{0});
  set("dqn.cut_exploratory", true);
  set("dqn.atoms", int64_t{51});
  for (const char* count : {"dqn.quantiles", "dqn.target_quantiles", "dqn.acting_quantiles"}) set(count, int64_t{8});
  set("dqn.cosines", int64_t{64});
  set("dqn.kappa", 1.0);
  set("dqn.iqn_weight", 1.0);
  set("dqn.cql_alpha", 0.0);
  set("dqn.adam_epsilon", 1.5e-4);
  set("dqn.max_grad_norm", 10.0);
  set("dqn.clip_norm", std::string("l2"));
  set("dqn.reward_clip", 100.0);
  set("dqn.evaluation_steps", int64_t{100'000});
}

inline Params SyntheticParams(double cost) {
  Params params;
  AddDqn(params);
  params.Set("env", std::string("synthetic"), false);
  params.Set("synthetic.mu", 1.0, false);
  params.Set("synthetic.sigma", 1.0, false);
  params.Set("synthetic.stay", 0.9, false);
  params.Set("synthetic.cost", cost, false);
  return params;
}

inline Params MarketParams(const std::string& path) {
  Params params = DataParams(path);
  const auto set = [&](const char* key, ParamValue value) { params.Set(key, std::move(value), false); };
  set("env", std::string("market"));
  set("market.positions", std::vector<double>{-1, 0, 1});
  set("market.max_position", 1.0);
  set("market.long_only", false);
  set("market.cost_bps", 5.0);
  set("market.half_spread_bps", 0.0);
  set("market.borrow_bps_per_year", 0.0);
  set("market.slippage", 0.0);
  set("market.min_equity", 0.1);
  set("market.episode_length", int64_t{252});
  set("market.bars_per_year", 252.0);
  set("data.features", std::vector<std::string>{"return", "range", "body", "volume", "volatility"});
  set("walk_forward.mode", std::string("rolling"));
  set("walk_forward.train", std::string("3y"));
  set("walk_forward.test", std::string("1y"));
  set("walk_forward.purge", int64_t{5});
  set("walk_forward.embargo", int64_t{0});
  set("walk_forward.max_folds", int64_t{1000});
  AddDqn(params);
  set("dqn.gamma", 0.97);
  set("dqn.reward_clip", 10.0);
  return params;
}

}  // namespace traind::worker
