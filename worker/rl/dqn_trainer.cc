#include "worker/rl/dqn_trainer.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "worker/rl/importance.h"
#include "worker/train/weights_hash.h"

namespace traind::worker::rl {
namespace {

constexpr int64_t kMetricsEvery = 1000;  // steps
constexpr int64_t kMostSkipped = 3;      // updates in a row
constexpr int kSlotsAhead = 1;

DqnOptions WithSizes(DqnOptions options, const envs::ObservationSource& observations) {
  options.network.observation_size = observations.observation_size();
  options.network.num_actions = observations.num_actions();
  if (options.support) {
    options.network.v_min = options.support->v_min;
    options.network.v_max = options.support->v_max;
  }
  return options;
}

absl::Status NotFinite(int64_t step, const char* what) {
  return WithCause(absl::InvalidArgumentError(absl::StrCat("step ", step, ": ", what)), FailureCause::kData);
}

}  // namespace

DqnTrainer::DqnTrainer(const DqnOptions& options, const envs::EnvironmentSet& environments, uint64_t seed)
    : options_(WithSizes(options, environments.observations())),
      environments_(environments),
      environment_(environments.MakeTraining()),
      learner_(options_, seed),
      replay_({.capacity = options.replay_capacity,
               .n_step = options.n_step,
               .gamma = options.gamma,
               .cut_exploratory = options.cut_exploratory,
               .alpha = options.prioritized ? options.priority_exponent : 0}),
      loader_(
          kSlotsAhead,
          [this] {
            return GatheredBatch{{}, DqnBatch::Zeros(options_.batch_size, options_.network.observation_size, options_.network.num_actions)};
          }),
      actor_(learner_.online(), environments.observations()),
      acting_noise_(learner_.online().noise_layout()),
      epsilon_(options.epsilon_start, options.epsilon_end, options.epsilon_fraction, options.steps),
      support_(options.gamma),
      environment_random_(seed, 0, "environment"),
      action_random_(seed, 0, "action"),
      replay_random_(seed, 0, "replay"),
      acting_noise_random_(seed, 0, "acting noise"),
      last_good_(learner_.Save()),
      priorities_(static_cast<size_t>(options.batch_size)) {
  environment_->Reset(environment_random_);
}

absl::Status DqnTrainer::TrainFold(train::TrainCallbacks& callbacks) {
  while (step_ < options_.steps) {
    if (callbacks.StopRequested()) {
      // Step 0 of a fold is the last step of the one before: nothing learned yet must not take the place of its weights.
      if (step_ > 0) RETURN_IF_ERROR(SaveCheckpoint(callbacks));
      return absl::CancelledError("stopped");
    }
    RETURN_IF_ERROR(Interact());
    ++step_;
    if (step_ >= options_.warmup_steps && step_ % options_.train_every == 0 && replay_.windows() > 0) RETURN_IF_ERROR(Update());
    callbacks.OnStep(step_, loss_.value());
    if (step_ % kMetricsEvery == 0) ReportMetrics(callbacks);
    if (callbacks.CheckpointDue()) RETURN_IF_ERROR(SaveCheckpoint(callbacks));
  }
  return absl::OkStatus();
}

absl::Status DqnTrainer::SaveCheckpoint(train::TrainCallbacks& callbacks) {
  last_good_ = learner_.Save();
  return callbacks.SaveCheckpoint(step_, State());
}

Choice DqnTrainer::ChooseAction(const envs::EnvState& state) {
  if (step_ < options_.warmup_steps) return {.action = actor_.ActRandomly(state, action_random_), .exploratory = true};
  const int greedy = actor_.Act(state);
  int action = greedy;
  if (options_.network.noisy) {
    acting_noise_.Draw(acting_noise_random_);
    action = actor_.Act(state, &acting_noise_);
  } else if (action_random_.Uniform() < epsilon_.At(step_)) {
    action = actor_.ActRandomly(state, action_random_);
  }
  return {.action = action, .exploratory = action != greedy};
}

absl::Status DqnTrainer::Interact() {
  const envs::EnvState state = environment_->state();
  const Choice choice = ChooseAction(state);
  if (!actor_.last_observation_finite()) return NotFinite(step_, "the observation holds NaN or infinity");
  const envs::StepOutcome outcome = environment_->Step(choice.action);
  if (!std::isfinite(outcome.reward)) return NotFinite(step_, "the reward is NaN or infinite");
  const double scaled = std::clamp(outcome.reward / environments_.reward_scale(), -options_.reward_clip, options_.reward_clip);
  if (step_ < options_.warmup_steps) support_.Add(scaled);
  replay_.Add(state, choice, scaled, outcome, environment_->state());
  reward_.Add(outcome.reward);
  if (outcome.ended()) environment_->Reset(environment_random_);
  return absl::OkStatus();
}

void DqnTrainer::RequestBatch() {
  std::vector<Transition> windows(static_cast<size_t>(options_.batch_size));
  replay_.Draw(replay_random_, windows);
  const double beta = options_.prioritized ? AnnealedBeta(options_.priority_beta, step_, options_.steps) : 0;
  loader_.Request([this, beta, windows = std::move(windows)](GatheredBatch& batch) mutable {
    batch.windows = std::move(windows);
    return Gather(environments_.observations(), beta, batch);
  });
}

absl::Status DqnTrainer::Update() {
  if (learner_.updates() == 0 && !options_.support) learner_.SetSupport(support_.value());
  // The batch of this update, where none is waiting, and that of the next.
  while (loader_.pending() <= options_.sample_lag) RequestBatch();
  absl::StatusOr<GatheredBatch*> loaded = loader_.Next();
  if (!loaded.ok()) return Annotate(loaded.status(), absl::StrCat("step ", step_));
  const GatheredBatch& batch = **loaded;
  const UpdateResult result = learner_.Update(batch.tensors, cql_alpha(), options_.batch_size);
  if (result.clip.non_finite.item<float>() != 0) return AfterSkippedStep();
  const torch::Tensor priorities = result.priorities.to(torch::kFloat64).contiguous();
  replay_.UpdatePriorities(batch.windows, {priorities.data_ptr<double>(), batch.windows.size()});
  Observe(result, batch);
  return absl::OkStatus();
}

absl::Status DqnTrainer::AfterSkippedStep() {
  if (learner_.optimizer().skipped_in_a_row() < kMostSkipped) return absl::OkStatus();
  if (!went_back_) {
    went_back_ = true;
    learner_.Restore(last_good_);
    return absl::OkStatus();
  }
  return WithCause(absl::InternalError(absl::StrCat("step ", step_, ": gradients were not finite in ", kMostSkipped,
                                                    " updates in a row, again after going back to the last checkpoint; lower "
                                                    "dqn.learning_rate or dqn.reward_clip")),
                   FailureCause::kNonFinite);
}

double DqnTrainer::cql_alpha() const { return options_.cql_alpha * (1 - static_cast<double>(step_) / static_cast<double>(options_.steps)); }

void DqnTrainer::Observe(const UpdateResult& result, const GatheredBatch& batch) {
  loss_.Add(result.loss.item<double>());
  const auto add = [&](const std::string& name, double value) { means_.try_emplace(name, 0.99).first->second.Add(value); };
  add("q_mean", result.q.item<double>());
  add("gradient_norm", result.clip.norm.item<double>());
  for (const auto& [name, figure] : result.figures) add(name, figure.item<double>());
  double steps = 0;
  for (const Transition& window : batch.windows) steps += static_cast<double>(window.steps);
  add("n_step_mean", steps / static_cast<double>(batch.windows.size()));
  add("importance_weight_min", batch.tensors.weights.min().item<double>());
}

void DqnTrainer::ReportMetrics(train::TrainCallbacks& callbacks) {
  std::map<std::string, double> values = {{"updates", static_cast<double>(learner_.updates())},
                                          {"skipped_updates", static_cast<double>(learner_.optimizer().skipped())},
                                          {"replay_transitions", static_cast<double>(replay_.windows())}};
  if (!options_.network.noisy) values["epsilon"] = epsilon_.At(step_);
  if (options_.cql_alpha > 0) values["cql_alpha"] = cql_alpha();
  if (learner_.updates() > 0) values["target_distance"] = learner_.target_distance();
  if (loss_.value()) values["loss"] = *loss_.value();
  if (reward_.value()) values["reward_mean"] = *reward_.value();
  for (const auto& [name, mean] : means_) {
    if (mean.value()) values[name] = *mean.value();
  }
  callbacks.OnMetrics(step_, values);
}

train::TrainerState DqnTrainer::State() const {
  train::TrainerState state;
  learner_.AddState(state);
  state.stream_positions["environment"] = environment_random_.position();
  state.stream_positions["action"] = action_random_.position();
  state.stream_positions["replay"] = replay_random_.position();
  state.stream_positions["acting noise"] = acting_noise_random_.position();
  state.counters["step"] = step_;
  return state;
}

std::string DqnTrainer::WeightsHash() const { return train::WeightsSha256(learner_.online()); }

}  // namespace traind::worker::rl
