#include "worker/rl/dqn_trainer.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "worker/rl/best_action.h"
#include "worker/train/gradient_clip.h"
#include "worker/train/weights_hash.h"

namespace traind::worker::rl {
namespace {

constexpr int64_t kMetricsEvery = 1000;  // steps
constexpr int64_t kMostSkipped = 3;      // updates in a row

models::QNetworkShape ShapeOf(const DqnOptions& options, const envs::ObservationSource& observations) {
  return {.observation_size = observations.observation_size(), .num_actions = observations.num_actions(), .hidden = options.hidden};
}

}  // namespace

DqnTrainer::DqnTrainer(const DqnOptions& options, const envs::EnvironmentSet& environments, uint64_t seed)
    : options_(options),
      environments_(environments),
      environment_(environments.MakeTraining()),
      online_(ShapeOf(options, environments.observations()), seed),
      target_(ShapeOf(options, environments.observations()), seed),
      parameters_(online_),
      target_parameters_(target_),
      optimizer_(parameters_, {.learning_rate = options.learning_rate, .epsilon = options.adam_epsilon}),
      replay_(options.replay_capacity),
      actor_(online_, environments.observations()),
      epsilon_(options.epsilon_start, options.epsilon_end, options.epsilon_fraction, options.steps),
      environment_random_(seed, 0, "environment"),
      action_random_(seed, 0, "action"),
      replay_random_(seed, 0, "replay") {
  const auto batch = static_cast<size_t>(options.batch_size);
  const int64_t size = environments.observations().observation_size(), actions = environments.observations().num_actions();
  batch_.resize(batch);
  states_.resize(batch);
  next_states_.resize(batch);
  observations_ = torch::zeros({options.batch_size, size});
  next_observations_ = torch::zeros({options.batch_size, size});
  actions_ = torch::zeros({options.batch_size}, torch::kInt64);
  rewards_ = torch::zeros({options.batch_size});
  discounts_ = torch::zeros({options.batch_size});
  next_forbidden_ = torch::zeros({options.batch_size, actions}, torch::kBool);
  environment_->Reset(environment_random_);
}

absl::Status DqnTrainer::TrainFold(train::TrainCallbacks& callbacks) {
  while (step_ < options_.steps) {
    if (callbacks.StopRequested()) {
      // Step 0 of a fold is the last step of the one before: nothing learned yet must not take the place of its weights.
      if (step_ > 0) RETURN_IF_ERROR(callbacks.SaveCheckpoint(step_, State()));
      return absl::CancelledError("stopped");
    }
    RETURN_IF_ERROR(Interact());
    ++step_;
    if (step_ >= options_.warmup_steps && step_ % options_.train_every == 0 && replay_.transitions() > 0) RETURN_IF_ERROR(Update());
    callbacks.OnStep(step_, loss_.value());
    if (step_ % kMetricsEvery == 0) ReportMetrics(callbacks);
    if (callbacks.CheckpointDue()) RETURN_IF_ERROR(callbacks.SaveCheckpoint(step_, State()));
  }
  return absl::OkStatus();
}

absl::Status DqnTrainer::Interact() {
  const envs::EnvState state = environment_->state();
  const bool explore = step_ < options_.warmup_steps || action_random_.Uniform() < epsilon_.At(step_);
  const int action = explore ? actor_.ActRandomly(state, action_random_) : actor_.Act(state);
  if (!explore && !actor_.last_observation_finite()) {
    return WithCause(absl::InvalidArgumentError(absl::StrCat("step ", step_, ": the observation holds NaN or infinity")),
                     FailureCause::kData);
  }
  const envs::StepOutcome outcome = environment_->Step(action);
  if (!std::isfinite(outcome.reward)) {
    return WithCause(absl::InvalidArgumentError(absl::StrCat("step ", step_, ": the reward is NaN or infinite")), FailureCause::kData);
  }
  const double scaled = std::clamp(outcome.reward / environments_.reward_scale(), -options_.reward_clip, options_.reward_clip);
  replay_.Add(state, action, static_cast<float>(scaled), outcome, environment_->state());
  reward_.Add(outcome.reward);
  if (outcome.ended()) environment_->Reset(environment_random_);
  return absl::OkStatus();
}

void DqnTrainer::FillBatch() {
  replay_.Sample(replay_random_, batch_);
  const envs::ObservationSource& source = environments_.observations();
  auto* const actions = actions_.data_ptr<int64_t>();
  auto* const rewards = rewards_.data_ptr<float>();
  auto* const discounts = discounts_.data_ptr<float>();
  auto* const forbidden = next_forbidden_.data_ptr<bool>();
  std::vector<uint8_t> allowed(static_cast<size_t>(source.num_actions()));
  for (size_t i = 0; i < batch_.size(); ++i) {
    states_[i] = batch_[i].state;
    next_states_[i] = batch_[i].next;
    actions[i] = batch_[i].action;
    rewards[i] = batch_[i].reward;
    discounts[i] = batch_[i].terminated ? 0.0f : static_cast<float>(options_.gamma);
    source.ActionMask(batch_[i].next, allowed);
    for (size_t a = 0; a < allowed.size(); ++a) forbidden[i * allowed.size() + a] = allowed[a] == 0;
  }
  source.Gather(states_, {observations_.data_ptr<float>(), static_cast<size_t>(observations_.numel())});
  source.Gather(next_states_, {next_observations_.data_ptr<float>(), static_cast<size_t>(next_observations_.numel())});
}

absl::Status DqnTrainer::Update() {
  FillBatch();
  models::TdTarget target{.actions = actions_, .returns = rewards_, .discounts = discounts_};
  {
    const torch::NoGradGuard no_grad;
    target.next = target_.forward(next_observations_);
    const torch::Tensor chooser = options_.double_dqn ? online_.ExpectedQ(next_observations_) : target_.head().ExpectedQ(target.next);
    target.next_actions = BestAction(chooser, next_forbidden_);
  }
  const models::TdLoss loss = online_.head().Loss(online_.forward(observations_), target);
  const torch::Tensor mean = loss.rows.mean();
  parameters_.ZeroGradients();
  mean.backward();
  const train::ClipResult clip = train::ClipGlobalNorm(parameters_.gradients(), options_.max_grad_norm);
  optimizer_.Step(clip.non_finite);
  if (optimizer_.skipped_in_a_row() >= kMostSkipped) {
    return WithCause(absl::InternalError(absl::StrCat("step ", step_, ": gradients were not finite in ", kMostSkipped,
                                                      " updates in a row; lower dqn.learning_rate or dqn.reward_clip")),
                     FailureCause::kNonFinite);
  }
  if (++updates_ % options_.target_every == 0) CopyToTarget();
  if (clip.non_finite.item<float>() == 0) {
    loss_.Add(mean.item<double>());
    q_.Add(loss.q.mean().item<double>());
    norm_.Add(clip.norm.item<double>());
  }
  return absl::OkStatus();
}

void DqnTrainer::CopyToTarget() {
  const torch::NoGradGuard no_grad;
  target_parameters_.values().copy_(parameters_.values());
}

void DqnTrainer::ReportMetrics(train::TrainCallbacks& callbacks) {
  std::map<std::string, double> values = {{"epsilon", epsilon_.At(step_)},
                                          {"updates", static_cast<double>(updates_)},
                                          {"skipped_updates", static_cast<double>(optimizer_.skipped())},
                                          {"replay_transitions", static_cast<double>(replay_.transitions())}};
  for (const auto& [name, mean] :
       {std::pair("loss", &loss_), std::pair("q_mean", &q_), std::pair("gradient_norm", &norm_), std::pair("reward_mean", &reward_)}) {
    if (const std::optional<double> value = mean->value()) values[name] = *value;
  }
  callbacks.OnMetrics(step_, values);
}

train::TrainerState DqnTrainer::State() const {
  train::TrainerState state;
  for (const auto& item : online_.named_parameters()) state.model.push_back({item.key(), item.value()});
  for (const auto& item : target_.named_parameters()) state.model.push_back({absl::StrCat("target.", item.key()), item.value()});
  state.optimizer = optimizer_.State();
  state.stream_positions = {
      {"environment", environment_random_.position()}, {"action", action_random_.position()}, {"replay", replay_random_.position()}};
  state.counters = {{"step", step_}, {"updates", updates_}};
  return state;
}

std::string DqnTrainer::WeightsHash() const { return train::WeightsSha256(online_); }

}  // namespace traind::worker::rl
