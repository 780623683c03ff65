#include "worker/rl/dqn_learner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "worker/rl/best_action.h"
#include "worker/rl/cql.h"
#include "worker/train/gradient_accumulation.h"

namespace traind::worker::rl {

DqnLearner::DqnLearner(const DqnOptions& options, uint64_t seed)
    : options_(options),
      online_(options.network, seed),
      target_(options.network, seed),
      parameters_(online_),
      target_parameters_(target_),
      optimizer_(parameters_, options.optimizer),
      online_noise_(online_.noise_layout(), options.network.dtype),
      target_noise_(target_.noise_layout(), options.network.dtype),
      noise_random_(seed, 0, "noise"),
      target_noise_random_(seed, 0, "target noise"),
      fraction_random_(seed, 0, "fractions") {
  if (!options.network.has_iqn()) return;
  online_fractions_ = torch::zeros({options.batch_size, options.quantiles}, options.network.dtype);
  target_fractions_ = torch::zeros({options.batch_size, options.target_quantiles}, options.network.dtype);
}

void DqnLearner::DrawFractions(torch::Tensor& fractions) {
  if (!fractions.defined()) return;
  AT_DISPATCH_FLOATING_TYPES(fractions.scalar_type(), "DqnLearner::DrawFractions", [&] {
    auto* const values = fractions.data_ptr<scalar_t>();
    for (int64_t i = 0; i < fractions.numel(); ++i) values[i] = static_cast<scalar_t>(fraction_random_.Uniform());
  });
}

DqnLearner::Terms DqnLearner::Forward(const DqnBatch& batch, int64_t begin, int64_t count, double cql_alpha) {
  const DqnBatch rows = batch.Rows(begin, count);
  const auto fractions = [&](const torch::Tensor& all) { return all.defined() ? all.narrow(0, begin, count) : all; };
  const models::HeadDraws online_draws = {.noise = &online_noise_, .fractions = fractions(online_fractions_)};
  models::TdTarget target{.actions = rows.actions, .returns = rows.returns, .discounts = rows.discounts};
  {
    const torch::NoGradGuard no_grad;
    target.next = target_.forward(rows.next_observations, {.noise = &target_noise_, .fractions = fractions(target_fractions_)});
    const torch::Tensor chooser =
        options_.double_dqn ? online_.ExpectedQ(rows.next_observations, {}) : target_.head().ExpectedQ(target.next);
    target.next_actions = BestAction(chooser, rows.next_forbidden);
  }
  const models::HeadOutput output = online_.forward(rows.observations, online_draws);
  models::TdLoss loss = online_.head().Loss(output, target);
  Terms terms{.priorities = loss.priorities, .figures = std::move(loss.figures)};
  for (const auto& [name, term] : loss.terms) terms.rows[name] = term * rows.weights;
  const torch::Tensor q = online_.head().ExpectedQ(output);
  terms.q = models::OfAction(q.detach(), rows.actions);
  if (options_.cql_alpha > 0) {
    // Not weighted by importance: the term is about the data as they are.
    const torch::Tensor penalty = CqlPenalty(q, rows.actions, rows.forbidden);
    // Values of a distribution far narrower than a reward's deviation would let the weight grow without bound.
    terms.rows["cql"] = penalty * online_.head().Compliance(output).clamp_min(1).reciprocal_().mul_(cql_alpha);
    terms.figures["cql"] = penalty.detach().mean();
  }
  return terms;
}

UpdateResult DqnLearner::Update(const DqnBatch& batch, double cql_alpha, int64_t micro_batch) {
  online_noise_.Draw(noise_random_);
  target_noise_.Draw(target_noise_random_);
  DrawFractions(online_fractions_);
  DrawFractions(target_fractions_);
  parameters_.ZeroGradients();
  UpdateResult result;
  std::vector<torch::Tensor> priorities;
  const int64_t all = batch.rows();
  train::GradientAccumulator gradient(static_cast<double>(all));
  for (int64_t begin = 0; begin < all; begin += micro_batch) {
    const int64_t count = std::min(micro_batch, all - begin);
    Terms terms = Forward(batch, begin, count, cql_alpha);
    torch::Tensor sum;
    for (const auto& [name, rows] : terms.rows) sum = sum.defined() ? sum + rows.sum() : rows.sum();
    gradient.Add(sum);
    const auto add = [](torch::Tensor& sum, const torch::Tensor& part) { sum = sum.defined() ? sum + part : part; };
    add(result.q, terms.q.sum() / all);
    const double share = static_cast<double>(count) / static_cast<double>(all);
    for (const auto& [name, figure] : terms.figures) add(result.figures[name], figure * share);
    priorities.push_back(terms.priorities);
  }
  result.loss = gradient.loss();
  result.priorities = priorities.size() == 1 ? priorities[0] : torch::cat(priorities);
  result.clip = train::ClipGlobalNorm(parameters_.gradients(), options_.max_grad_norm, options_.clip_norm_order);
  optimizer_.Step(result.clip.non_finite);
  ++updates_;
  UpdateTarget();
  return result;
}

void DqnLearner::UpdateTarget() {
  const torch::NoGradGuard no_grad;
  if (options_.target_tau) {
    target_parameters_.values().lerp_(parameters_.values(), *options_.target_tau);
  } else if (updates_ % options_.target_every == 0) {
    target_parameters_.values().copy_(parameters_.values());
  }
}

std::map<std::string, double> DqnLearner::GradientShares(const DqnBatch& batch, double cql_alpha) {
  std::map<std::string, double> norms;
  double sum = 0;
  const std::vector<torch::Tensor> parameters = online_.parameters();
  const Terms terms = Forward(batch, 0, batch.rows(), cql_alpha);
  for (const auto& [name, rows] : terms.rows) {
    double squares = 0;
    for (const torch::Tensor& gradient : torch::autograd::grad({rows.mean()}, parameters, /*grad_outputs=*/{}, /*retain_graph=*/true,
                                                               /*create_graph=*/false, /*allow_unused=*/true)) {
      if (gradient.defined()) squares += gradient.square().sum().item<double>();
    }
    sum += norms[name] = std::sqrt(squares);
  }
  for (auto& [name, norm] : norms) norm = sum > 0 ? norm / sum : 0;
  return norms;
}

double DqnLearner::target_distance() const { return (parameters_.values() - target_parameters_.values()).norm().item<double>(); }

void DqnLearner::SetSupport(const ValueSupport& support) {
  for (models::QNetwork* network : {&online_, &target_}) {
    if (network->categorical() != nullptr) network->categorical()->SetSupport(support.v_min, support.v_max);
  }
}

DqnLearner::Snapshot DqnLearner::Save() const {
  Snapshot snapshot{.online = parameters_.values().clone(), .target = target_parameters_.values().clone(), .optimizer = {}};
  for (const train::NamedTensor& tensor : optimizer_.State()) snapshot.optimizer.push_back({tensor.name, tensor.tensor.clone()});
  return snapshot;
}

void DqnLearner::Restore(const Snapshot& snapshot) {
  const torch::NoGradGuard no_grad;
  parameters_.values().copy_(snapshot.online);
  target_parameters_.values().copy_(snapshot.target);
  const train::NamedTensors live = optimizer_.State();
  for (size_t i = 0; i < live.size(); ++i) live[i].tensor.view_as(snapshot.optimizer[i].tensor).copy_(snapshot.optimizer[i].tensor);
  optimizer_.ResetSkippedInARow();
}

void DqnLearner::AddState(train::TrainerState& state) const {
  for (const auto& item : online_.named_parameters()) state.model.push_back({item.key(), item.value()});
  for (const auto& item : online_.named_buffers()) state.model.push_back({item.key(), item.value()});
  for (const auto& item : target_.named_parameters()) state.model.push_back({absl::StrCat("target.", item.key()), item.value()});
  state.optimizer = optimizer_.State();
  state.stream_positions["noise"] = noise_random_.position();
  state.stream_positions["target noise"] = target_noise_random_.position();
  state.stream_positions["fractions"] = fraction_random_.position();
  state.counters["updates"] = updates_;
}

}  // namespace traind::worker::rl
