#include "common/spec/job_rules.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "common/spec/origins.h"
#include "common/spec/task_name.h"

namespace traind::spec {
namespace {

class Rules {
 public:
  Rules(const v1::JobSpec& spec, const v1::JobSpec& normalised, std::vector<FieldError>& errors)
      : spec_(spec), full_(normalised), errors_(errors) {
    for (const FieldError& error : errors) wrong_.insert(error.path);
  }

  void Check() {
    CheckTask();
    CheckEnvironment();
    if (full_.has_dqn()) CheckDqn();
    if (full_.has_market()) CheckMarket();
    if (full_.has_walk_forward()) CheckWalkForward();
    CheckResources();
  }

 private:
  void Add(const std::string& path, const std::string& message) { errors_.push_back({path, message}); }
  // Whether a field, or something in it, is wrong by itself already.
  bool Wrong(const std::string& path) const {
    return std::any_of(wrong_.begin(), wrong_.end(),
                       [&](const std::string& wrong) { return IsWithin(wrong, path) || IsWithin(path, wrong); });
  }

  void CheckTask() {
    switch (spec_.task_case()) {
      case v1::JobSpec::kDqn:
        return;
      case v1::JobSpec::TASK_NOT_SET:
        if (!Wrong("dqn")) Add("", "the job names no task; add a block dqn: {…}, even an empty one (dqn: {}) trains with the defaults");
        return;
      default: {
        const std::string name = TaskName(spec_);
        Add(name, absl::StrCat("the task ", name, " is not available in this version of traind; it has dqn"));
      }
    }
  }

  void CheckEnvironment() {
    if (Wrong("env") || !full_.has_env()) return;
    if (full_.env() == "market") {
      if (spec_.data().sources_size() == 0 && !Wrong("data")) {
        Add("data.sources", "is missing; env: market needs at least one file: data: {sources: [{path: root:file.csv}]}");
      }
      if (spec_.has_synthetic()) Add("synthetic", "belongs to env: synthetic; remove the block or set env: synthetic");
      return;
    }
    for (const auto& [name, set] : {std::pair("data", spec_.has_data()), std::pair("market", spec_.has_market()),
                                    std::pair("walk_forward", spec_.has_walk_forward())}) {
      if (set) Add(name, absl::StrCat("belongs to env: market; remove the block or set env: market (it is ", full_.env(), ")"));
    }
  }

  void CheckDqn() {
    const v1::DqnSpec& dqn = full_.dqn();
    if (Wrong("dqn.batch_size")) return;
    if (!Wrong("dqn.warmup_steps") && dqn.batch_size() > dqn.warmup_steps()) {
      Add("dqn.batch_size", absl::StrCat("is ", dqn.batch_size(), ", more than the ", dqn.warmup_steps(),
                                         " transitions that dqn.warmup_steps stores before the first update; raise dqn.warmup_steps"));
    }
    if (!Wrong("dqn.warmup_steps") && !Wrong("dqn.steps") && !Wrong("dqn.train_every") &&
        dqn.steps() < std::max(dqn.warmup_steps(), dqn.train_every())) {
      Add("dqn.steps", absl::StrCat("is ", dqn.steps(), "; the first update comes after dqn.warmup_steps ", dqn.warmup_steps(),
                                    " and dqn.train_every ", dqn.train_every(), ", so nothing would be learned; raise dqn.steps"));
    }
    if (!Wrong("dqn.replay_capacity") && dqn.batch_size() > dqn.replay_capacity()) {
      Add("dqn.batch_size", absl::StrCat("is ", dqn.batch_size(), ", more than dqn.replay_capacity ", dqn.replay_capacity(), " holds"));
    }
    if (!Wrong("dqn.epsilon_start") && !Wrong("dqn.epsilon_end") && dqn.epsilon_end() > dqn.epsilon_start()) {
      Add("dqn.epsilon_end",
          absl::StrCat("is ", dqn.epsilon_end(), ", above dqn.epsilon_start ", dqn.epsilon_start(), "; epsilon only falls"));
    }
  }

  void CheckMarket() {
    const v1::MarketSpec& market = full_.market();
    if (Wrong("market.positions")) return;
    for (int i = 1; i < market.positions_size(); ++i) {
      if (market.positions(i) > market.positions(i - 1)) continue;
      Add("market.positions", absl::StrCat("must ascend, but ", market.positions(i), " follows ", market.positions(i - 1)));
      return;
    }
    if (Wrong("market.max_position")) return;
    const bool any = std::any_of(market.positions().begin(), market.positions().end(), [&](double position) {
      return std::abs(position) <= market.max_position() && !(market.long_only() && position < 0);
    });
    if (!any) {
      Add("market.positions", absl::StrCat("no position is within market.max_position ", market.max_position(),
                                           market.long_only() ? " and market.long_only" : "", "; add one, for example 0"));
    }
  }

  bool CheckDate(const std::string& path, const std::string& text, absl::CivilDay& day) {
    if (Wrong(path) || text.empty()) return false;
    if (absl::ParseCivilTime(text, &day)) return true;
    Add(path, absl::StrCat("\"", text, "\" is not a day of the calendar"));
    return false;
  }

  void CheckWalkForward() {
    const v1::WalkForwardSpec& folds = full_.walk_forward();
    absl::CivilDay first, last;
    const bool has_first = CheckDate("walk_forward.first_test", folds.first_test(), first);
    const bool has_last = CheckDate("walk_forward.last_test", folds.last_test(), last);
    if (has_first && has_last && last < first) {
      Add("walk_forward.last_test", absl::StrCat(folds.last_test(), " is before walk_forward.first_test ", folds.first_test()));
    }
  }

  void CheckResources() {
    const v1::ResourcesSpec& resources = full_.resources();
    if (resources.slots() > 1 && !Wrong("resources.slots") && full_.has_dqn()) {
      Add("resources.slots", absl::StrCat("is ", resources.slots(), ", but this version of traind trains a job on one slot; it needs ",
                                          resources.slots(), " slots, 1 is allowed"));
    }
  }

  const v1::JobSpec& spec_;
  const v1::JobSpec& full_;
  std::vector<FieldError>& errors_;
  std::set<std::string> wrong_;
};

}  // namespace

void CheckJobRules(const v1::JobSpec& spec, const v1::JobSpec& normalised, std::vector<FieldError>& errors) {
  Rules(spec, normalised, errors).Check();
}

}  // namespace traind::spec
