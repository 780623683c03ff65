#include "server/scheduler/reconciler.h"

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/rng.h"

namespace traind::server::scheduler {
namespace {

using domain::Job;
using domain::JobState;

std::string Seconds(absl::Duration duration) { return absl::FormatDuration(absl::Trunc(duration, absl::Milliseconds(100))); }

bool Failed(const RankFacts& rank) { return rank.end && rank.end->cause != FailureCause::kNone; }

// A rank that stopped because it was told to, or because another one failed, is not the one to blame.
int Blame(const RankFacts& rank) {
  if (!Failed(rank)) return 0;
  if (rank.end->cause == FailureCause::kPreempted) return 1;
  return rank.end->cause == FailureCause::kPeer ? 2 : 3;
}

std::string SentenceOf(size_t rank, const RankEnd& end) {
  if (!end.error.empty()) return end.error;
  if (end.signal == 0) return absl::StrCat("rank ", rank, " ended with exit code ", end.exit_code, " and left no message; see its log");
  const char* const name = sigabbrev_np(end.signal);
  return absl::StrCat("rank ", rank, " was ended by signal ", end.signal, name != nullptr ? absl::StrCat(" (SIG", name, ")") : "");
}

// The end of the rank to blame most; success if none failed.
AttemptEnd WorstEnd(const std::vector<RankFacts>& ranks) {
  const auto worst =
      std::max_element(ranks.begin(), ranks.end(), [](const RankFacts& a, const RankFacts& b) { return Blame(a) < Blame(b); });
  if (worst == ranks.end() || !Failed(*worst)) return {};
  const RankEnd& end = *worst->end;
  return {end.cause, SentenceOf(static_cast<size_t>(worst - ranks.begin()), end), end.exit_code, end.signal};
}

// Plans the actions of one job's attempt.
class AttemptPlanner {
 public:
  AttemptPlanner(const Job& job, const JobFacts& facts, const Snapshot& snapshot, const Options& options, absl::Duration now,
                 absl::Duration slept)
      : job_(job), facts_(facts), attempt_(*facts.attempt), snapshot_(snapshot), options_(options), now_(now), slept_(slept) {}

  void Plan(std::vector<Action>& actions) const {
    const auto& ranks = attempt_.ranks;
    if (std::all_of(ranks.begin(), ranks.end(), [](const RankFacts& rank) { return rank.end.has_value(); })) {
      actions.push_back(Finish());
      return;
    }
    if (job_.state == JobState::kStarting && AllRegistered()) actions.push_back(ReportRunning{job_.id});
    if (attempt_.killed) return;
    if (std::optional<Verdict> verdict = ReasonToKill()) {
      actions.push_back(Kill{job_.id, std::move(verdict)});
    } else {
      PlanStop(actions);
    }
  }

 private:
  // A rank that ends by the signal it was sent stopped as it was told. SIGKILL takes the shim too, which then leaves no record.
  AttemptEnd HowItEnded() const {
    std::vector<RankFacts> ranks = attempt_.ranks;
    for (RankFacts& rank : ranks) {
      if (!rank.end || rank.end->cause != FailureCause::kCrashed) continue;
      const bool unrecorded = rank.end->signal == 0 && rank.end->exit_code == 0;
      if ((attempt_.terminated && rank.end->signal == SIGTERM) || (attempt_.killed && (rank.end->signal == SIGKILL || unrecorded))) {
        rank.end->cause = FailureCause::kPreempted;
        rank.end->error = absl::StrCat("stopped on request by ", attempt_.killed ? "SIGKILL" : "SIGTERM");
      }
    }
    return WorstEnd(ranks);
  }

  Action Finish() const {
    AttemptEnd end = HowItEnded();
    if (end.cause == FailureCause::kNone) return FinishAttempt{job_.id, job_.current_attempt()->number, end, {}};
    if (attempt_.verdict) {
      end.cause = attempt_.verdict->cause;
      end.error = attempt_.verdict->error;
    }
    const uint64_t key = HashKey(HashKey(snapshot_.jitter_seed, job_.id.value()), job_.attempts.size());
    const RetryDecision decision = job_.state == JobState::kCancelling
                                       ? RetryDecision{false, absl::ZeroDuration(), "the job is cancelled"}
                                       : DecideRetry(job_, end.cause, facts_.newest_checkpoint, RandomStream(key).Uniform());
    return FinishAttempt{job_.id, job_.current_attempt()->number, std::move(end), decision};
  }

  bool AllRegistered() const {
    return std::all_of(attempt_.ranks.begin(), attempt_.ranks.end(), [](const RankFacts& rank) { return rank.registered || rank.end; });
  }

  // What leaves no hope that the gang goes on or answers.
  std::optional<Verdict> ReasonToKill() const {
    // The others wait for the failed rank in a collective; none of them can write a checkpoint any more.
    if (const AttemptEnd end = HowItEnded(); end.cause != FailureCause::kNone && end.cause != FailureCause::kPreempted) {
      return attempt_.verdict ? attempt_.verdict : Verdict{end.cause, end.error};
    }
    for (size_t i = 0; i < attempt_.ranks.size(); ++i) {
      const RankFacts& rank = attempt_.ranks[i];
      if (rank.end) continue;
      if (!rank.registered && now_ - attempt_.launched - slept_ > options_.start_timeout) {
        return Verdict{FailureCause::kCrashed, absl::StrCat("rank ", i, " did not report within workers.start_timeout = ",
                                                            Seconds(options_.start_timeout), " and was killed; see its log")};
      }
      if (rank.registered && now_ - rank.last_heard - slept_ > options_.lease) {
        return Verdict{FailureCause::kCrashed, absl::StrCat("rank ", i, " was silent for ", Seconds(now_ - rank.last_heard),
                                                            ", longer than workers.lease = ", Seconds(options_.lease), ", and was killed")};
      }
    }
    return std::nullopt;
  }

  void PlanStop(std::vector<Action>& actions) const {
    if (attempt_.terminated) {
      if (now_ - *attempt_.terminated >= options_.stop_grace) actions.push_back(Kill{job_.id, {}});
    } else if (attempt_.stop_requested) {
      if (now_ - *attempt_.stop_requested >= options_.stop_wait) actions.push_back(Terminate{job_.id, {}});
    } else if (job_.state == JobState::kCancelling) {
      actions.push_back(FirstStage(StopKind::kCancel, "the job was cancelled", {}));
    } else if (job_.state == JobState::kSuspending) {
      actions.push_back(FirstStage(StopKind::kSuspend, "the job pauses", {}));
    } else if (job_.state == JobState::kRunning && job_.max_runtime && now_ - facts_.since > *job_.max_runtime) {
      const std::string error = absl::StrCat("the attempt ran longer than limits.max_runtime = ", Seconds(*job_.max_runtime));
      actions.push_back(FirstStage(StopKind::kCancel, error, Verdict{FailureCause::kTimeout, error}));
    }
  }

  // A command reaches only workers that have a session.
  Action FirstStage(StopKind kind, std::string reason, std::optional<Verdict> verdict) const {
    if (AllRegistered()) return RequestStop{job_.id, kind, std::move(reason), std::move(verdict)};
    return Terminate{job_.id, std::move(verdict)};
  }

  const Job& job_;
  const JobFacts& facts_;
  const AttemptFacts& attempt_;
  const Snapshot& snapshot_;
  const Options& options_;
  const absl::Duration now_;
  const absl::Duration slept_;
};

}  // namespace

Plan Reconcile(const Snapshot& snapshot, const Options& options, absl::Duration now) {
  Plan plan;
  const absl::Duration late = now - snapshot.due;
  const absl::Duration slept = late > options.late_tick ? late : absl::ZeroDuration();
  if (slept > absl::ZeroDuration()) plan.actions.push_back(ExtendLeases{slept});

  std::vector<WaitingJob> waiting;
  for (const auto& job : snapshot.jobs) {
    const auto found = snapshot.facts.find(job->id);
    const JobFacts* const facts = found == snapshot.facts.end() ? nullptr : &found->second;
    if (job->state == JobState::kPending) {
      if (facts != nullptr && job->queue_deadline && now - facts->since > *job->queue_deadline) {
        plan.actions.push_back(FailWaiting{job->id, FailureCause::kTimeout,
                                           absl::StrCat("waited ", Seconds(now - facts->since), " in the queue, longer than ",
                                                        "limits.queue_deadline = ", Seconds(*job->queue_deadline))});
      } else {
        waiting.push_back({job.get(), facts != nullptr ? facts->backoff_until - now : absl::ZeroDuration()});
      }
    } else if (domain::IsActive(job->state) && facts != nullptr && facts->attempt) {
      AttemptPlanner(*job, *facts, snapshot, options, now, slept).Plan(plan.actions);
    }
  }

  Placement placement = Place(std::move(waiting), snapshot.slots, snapshot.cordoned);
  for (PlacedJob& placed : placement.placed) plan.actions.push_back(StartAttempt{placed.job, std::move(placed.slots)});
  plan.queue = std::move(placement.waiting);
  for (JobId& id : DueForRemoval(snapshot.finished, options.retention, now)) plan.actions.push_back(DeleteFinished{std::move(id)});
  return plan;
}

absl::Duration AnchorSince(absl::Time then, absl::Time wall_now, absl::Duration steady_now) {
  return steady_now - std::max(wall_now - then, absl::ZeroDuration());
}

}  // namespace traind::server::scheduler
