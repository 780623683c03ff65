#include "worker/rl/walk_forward_task.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/failure.h"
#include "common/base/rng.h"
#include "common/base/status.h"
#include "common/base/units.h"
#include "common/os/files.h"
#include "common/stats/sharpe_facts.h"
#include "worker/envs/env_list.h"

namespace traind::worker::rl {
namespace {

// Names the fold, as every message from inside it should.
absl::Status InFold(const absl::Status& status, const envs::FoldFacts& fold, int index) {
  if (status.ok() || absl::IsCancelled(status)) return status;
  return Annotate(status, absl::StrCat("fold ", index + 1, " (", fold.name, ")"));
}

}  // namespace

absl::StatusOr<WalkForwardOptions> WalkForwardOptions::FromParams(const Params& params) {
  WalkForwardOptions options;
  ASSIGN_OR_RETURN(const int64_t seed, params.Get<int64_t>("seed"));
  options.seed = static_cast<uint64_t>(seed);
  ASSIGN_OR_RETURN(const int64_t threads, params.Get<int64_t>("resources.threads"));
  options.threads = static_cast<int>(threads);
  ASSIGN_OR_RETURN(const std::string every, params.Get<std::string>("checkpoint.every"));
  ASSIGN_OR_RETURN(options.checkpoints.every, ParseDurationText(every));
  ASSIGN_OR_RETURN(const int64_t keep_last, params.Get<int64_t>("checkpoint.keep_last"));
  options.checkpoints.keep_last = static_cast<int>(keep_last);
  // What the coordinator acts on, and what a single rank has nobody for.
  for (const char* key : {"display_name", "labels.", "priority", "backend", "retry.", "limits.max_runtime", "limits.queue_deadline",
                          "resources.slots", "resources.device", "resources.sync_every_n_steps"}) {
    params.MarkRead(key);
  }
  return options;
}

absl::StatusOr<std::unique_ptr<envs::EnvironmentProvider>> WalkForwardTask::MakeProvider(TaskContext& context) const {
  context.ReportProgress({.phase = "reading data"});
  return envs::MakeEnvironments(context.params(), [&](absl::string_view path) { return context.OpenData(path); });
}

absl::StatusOr<std::string> WalkForwardTask::ValidateData(TaskContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<envs::EnvironmentProvider> provider, MakeProvider(context));
  RETURN_IF_ERROR(context.params().CheckAllRead());
  return provider->ingest_report();
}

absl::Status WalkForwardTask::Run(TaskContext& context) {
  at::set_num_threads(options_.threads);
  ASSIGN_OR_RETURN(const std::unique_ptr<envs::EnvironmentProvider> provider, MakeProvider(context));
  RETURN_IF_ERROR(WithCause(context.params().CheckAllRead(), FailureCause::kConfig));
  report_ = {};
  report_.bars_per_year = provider->bars_per_year();
  report_.policy.name = "policy";
  for (const Baseline& baseline : Baselines()) report_.baselines.push_back({baseline.name, {}});
  weights_hashes_.clear();
  for (int fold = 0; fold < provider->fold_count(); ++fold) {
    RETURN_IF_ERROR(InFold(RunFold(context, *provider, fold), provider->fold(fold), fold));
  }
  context.SetResult("weights_sha256", os::Sha256Hex(weights_hashes_));
  context.SetResult("config_sha256", context.spec_sha256());
  if (!provider->data_fingerprint().empty()) context.SetResult("data_fingerprint", provider->data_fingerprint());
  context.SetResult("folds", absl::StrCat(provider->fold_count()));
  SetPassResults(context, *provider);
  return report_.policy.ledgers.empty() ? absl::OkStatus() : WriteReport(context, *provider);
}

absl::Status WalkForwardTask::RunFold(TaskContext& context, envs::EnvironmentProvider& provider, int fold) {
  const envs::FoldFacts facts = provider.fold(fold);
  ASSIGN_OR_RETURN(const std::unique_ptr<envs::EnvironmentSet> environments, provider.MakeFold(fold));
  CheckpointPlan checkpoints = options_.checkpoints;
  checkpoints.facts = {{"spec_sha256", context.spec_sha256()},
                       {"data_fingerprint", provider.data_fingerprint()},
                       {"normalisers", environments->normaliser_json()}};
  FoldRun run(context,
              {.index = fold,
               .count = provider.fold_count(),
               .steps_before = fold * options_.steps_per_fold,
               .total_steps = provider.fold_count() * options_.steps_per_fold,
               .name = facts.name},
              std::move(checkpoints), rate_);
  run.ReportPhase("training");
  context.Log(absl::StrCat("fold ", fold + 1, " of ", provider.fold_count(), ": ", facts.name, ", ", facts.train_rows, " training bars, ",
                           facts.test_rows, " test bars"));
  ASSIGN_OR_RETURN(const std::unique_ptr<train::Trainer> trainer,
                   make_trainer_(*environments, HashKey(options_.seed, static_cast<uint64_t>(fold))));
  RETURN_IF_ERROR(trainer->TrainFold(run));
  RETURN_IF_ERROR(run.SaveFinalCheckpoint(trainer->total_steps(), trainer->State()));
  weights_hashes_ += trainer->WeightsHash();
  run.ReportPhase("evaluating");
  report_.folds.push_back({facts.name, facts.train_rows, facts.test_rows});
  return Evaluate(context, *environments, trainer->policy(), fold);
}

absl::Status WalkForwardTask::Evaluate(TaskContext& context, const envs::EnvironmentSet& environments, train::Policy& policy, int fold) {
  const uint64_t seed = HashKey(options_.seed, static_cast<uint64_t>(fold));
  const std::vector<Baseline> rules = Baselines();
  // Only what the last fold says is of today.
  report_.next_positions.clear();
  for (int i = 0; i < environments.evaluation_count(); ++i) {
    const std::unique_ptr<envs::EvaluationEnvironment> environment = environments.MakeEvaluation(i);
    RandomStream random(seed, static_cast<uint64_t>(i), "evaluation");
    const bool endless = environment->ledger() == nullptr;
    const int64_t most_steps = endless ? options_.evaluation_steps : std::numeric_limits<int64_t>::max();
    ASSIGN_OR_RETURN(last_pass_, RunPolicy(*environment, policy, most_steps, random, [&] { return context.stop_requested(); }));
    if (endless) continue;
    // A ruined pass has no next position; the state it ended in still has an answer.
    const std::vector<double> targets = environment->trading_view().targets;
    report_.next_positions[environment->instrument()] = targets[static_cast<size_t>(policy.Act(last_pass_.last_state))];
    report_.policy.ledgers.push_back(last_pass_.ledger);
    for (size_t rule = 0; rule < rules.size(); ++rule) {
      RandomStream rule_random(seed, static_cast<uint64_t>(i), rules[rule].name);
      report_.baselines[rule].ledgers.push_back(RunRule(*environment, rules[rule].rule, rule_random).ledger);
    }
  }
  return absl::OkStatus();
}

void WalkForwardTask::SetPassResults(TaskContext& context, const envs::EnvironmentProvider& provider) const {
  const std::map<std::string, double> optimum = provider.known_optimum();
  if (optimum.empty()) return;
  for (const auto& [name, value] : optimum) context.SetResult(name, absl::StrFormat("%.6g", value));
  context.SetResult("mean_reward", absl::StrFormat("%.6g", last_pass_.mean_reward));
  context.SetResult("trade_share", absl::StrFormat("%.6g", last_pass_.trade_share));
  context.SetResult("evaluation_steps", absl::StrCat(last_pass_.steps));
}

absl::Status WalkForwardTask::WriteReport(TaskContext& context, envs::EnvironmentProvider& provider) {
  context.ReportProgress({.phase = "writing report",
                          .step = provider.fold_count() * options_.steps_per_fold,
                          .total_steps = provider.fold_count() * options_.steps_per_fold,
                          .fold = provider.fold_count(),
                          .total_folds = provider.fold_count()});
  report_.facts = {{"weights_sha256", os::Sha256Hex(weights_hashes_)},
                   {"config_sha256", context.spec_sha256()},
                   {"data_fingerprint", provider.data_fingerprint()},
                   {"seed", absl::StrCat(options_.seed)}};
  const Report report = BuildReport(report_);
  RETURN_IF_ERROR(os::WriteFileDurably(context.artifacts_folder() + "/report.json", report.json));
  RETURN_IF_ERROR(os::WriteFileDurably(context.artifacts_folder() + "/positions.csv", report.positions_csv));
  RETURN_IF_ERROR(os::WriteFileDurably(context.artifacts_folder() + "/ingest.json", provider.ingest_report()));
  context.SetResult("verdict", report.verdict);
  context.SetResult("psr", absl::StrFormat("%.6g", stats::ProbabilisticSharpeRatio(report.estimate, 0)));
  for (const auto& [name, value] : stats::ToFacts(report.estimate)) context.SetResult(name, value);
  context.Log(report.verdict);
  return absl::OkStatus();
}

}  // namespace traind::worker::rl
