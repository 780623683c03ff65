#include "common/spec/job_rules.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "common/spec/normalise.h"
#include "common/spec/origins.h"
#include "common/spec/task_name.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

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
    if (full_.has_dqn()) CheckDqn(), CheckDqnParts();
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

  // Set to other than its default, of which a normalised specification holds all. Numbers only.
  bool DqnChanges(const std::string& name) const {
    v1::JobSpec bare;
    bare.mutable_dqn();
    const v1::JobSpec normalised = NormaliseJob(bare);
    const google::protobuf::FieldDescriptor* const field = v1::DqnSpec::descriptor()->FindFieldByName(name);
    const google::protobuf::Reflection& reflection = *v1::DqnSpec::GetReflection();
    const v1::DqnSpec &set = spec_.dqn(), &defaults = normalised.dqn();
    if (!reflection.HasField(set, field) || !reflection.HasField(defaults, field)) return reflection.HasField(set, field);
    return field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_DOUBLE
               ? reflection.GetDouble(set, field) != reflection.GetDouble(defaults, field)
               : reflection.GetInt64(set, field) != reflection.GetInt64(defaults, field);
  }

  // What another choice leaves without effect must not be set.
  void CheckDqnParts() {
    const v1::DqnSpec& dqn = full_.dqn();
    const bool c51 = dqn.value_head() == "c51" || dqn.value_head() == "dual";
    const bool iqn = dqn.value_head() == "iqn" || dqn.value_head() == "dual";
    const auto needs = [&](bool acts, std::initializer_list<const char*> names, const std::string& why) {
      for (const char* name : names) {
        const std::string path = absl::StrCat("dqn.", name);
        if (!acts && !Wrong(path) && !Wrong("dqn.value_head") && DqnChanges(name)) Add(path, absl::StrCat("has no effect ", why));
      }
    };
    const std::string head = absl::StrCat("with dqn.value_head ", dqn.value_head(), "; remove it or use ");
    needs(c51, {"atoms", "v_min", "v_max"}, head + "c51 or dual");
    needs(iqn, {"quantiles", "target_quantiles", "acting_quantiles", "cosines", "kappa"}, head + "iqn or dual");
    needs(c51 && iqn, {"iqn_weight"}, head + "dual");
    needs(dqn.noisy(), {"noisy_sigma"}, "without dqn.noisy; remove it or set dqn.noisy: true");
    needs(!dqn.noisy(), {"epsilon_start", "epsilon_end", "epsilon_fraction"}, "with dqn.noisy; remove it or set dqn.noisy: false");
    needs(dqn.prioritized(), {"priority_exponent", "priority_beta"}, "without dqn.prioritized; remove it or set dqn.prioritized: true");
    const bool sgd = dqn.optimizer() == "sgd";
    if (!Wrong("dqn.optimizer")) {
      needs(sgd, {"momentum"}, absl::StrCat("with dqn.optimizer ", dqn.optimizer(), "; remove it or use sgd"));
      needs(!sgd, {"adam_epsilon"}, "with dqn.optimizer sgd; remove it or use adam or adamw");
    }
    needs(!dqn.has_target_tau(), {"target_every"}, "with dqn.target_tau; remove one of the two");
    CheckDqnSizes();
  }

  void CheckDqnSizes() {
    const v1::DqnSpec& dqn = full_.dqn();
    if (dqn.has_v_min() != dqn.has_v_max()) {
      Add(dqn.has_v_min() ? "dqn.v_max" : "dqn.v_min", "is missing; set dqn.v_min and dqn.v_max together, or neither");
    } else if (dqn.has_v_min() && !Wrong("dqn.v_min") && !Wrong("dqn.v_max") && dqn.v_min() >= dqn.v_max()) {
      Add("dqn.v_min", absl::StrCat("is ", dqn.v_min(), ", not below dqn.v_max ", dqn.v_max(), "; the atoms lie between the two"));
    }
    if (!Wrong("dqn.n_step") && !Wrong("dqn.replay_capacity") && dqn.n_step() >= dqn.replay_capacity()) {
      Add("dqn.n_step", absl::StrCat("is ", dqn.n_step(), ", but dqn.replay_capacity holds ", dqn.replay_capacity(),
                                     " steps; a window and the state after it must fit"));
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
