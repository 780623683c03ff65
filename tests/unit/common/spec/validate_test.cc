#include "common/spec/validate.h"

#include "common/spec/normalise.h"
#include "common/spec/text.h"
#include "tests/unit/common/spec/job_text.h"

namespace traind::spec {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Wrong(const std::string& text) { return Lines(ValidateJob(ReadJob(text))); }

const char kGood[] = "env: synthetic\ndqn: {}\n";

TEST(ValidateJob, GoodOnes) {
  EXPECT_EQ(Wrong(kGood), "");
  EXPECT_EQ(Wrong("data: {sources: [{path: m:x.csv}]}\ndqn:\n"), "");
}

struct Case {
  const char* text;
  const char* part;
};

TEST(ValidateJob, FieldsByThemselves) {
  for (const Case& wrong : std::initializer_list<Case>{
           {"dqn: {learning_rate: 0}", "dqn.learning_rate: 0 is out of range; it must be above 0"},
           {"dqn: {learning_rate: -1}", "dqn.learning_rate: "},
           {"dqn: {learning_rate: 1.5}", "dqn.learning_rate: 1.5 is out of range"},
           {"dqn: {gamma: 1}", "dqn.gamma: 1 is out of range"},
           {"dqn: {hidden: [0]}", "dqn.hidden[0]: 0 is out of range"},
           {"dqn: {atoms: 1}", "dqn.atoms: 1 is out of range"},
           {"dqn: {quantiles: 0}", "dqn.quantiles: 0 is out of range"},
           {"dqn: {n_step: 0}", "dqn.n_step: 0 is out of range"},
           {"dqn: {}\npriority: 100", "priority: 100 is out of range; it must be 0 to 99"},
           {"dqn: {}\nenv: markets", "env: \"markets\" is not one of market, synthetic; did you mean market?"},
           {"dqn: {}\nlimits: {memory: 3 apples}", "limits.memory: "},
           {"dqn: {}\nlimits: {memory: 1KiB}", "limits.memory: 1KiB is out of range"},
           {"dqn: {}\nlimits: {max_runtime: soon}", "limits.max_runtime: "},
           {"dqn: {}\nlabels: {\"-x\": y}", "labels: the name \"-x\" is not allowed"},
           {"dqn: {}\nwalk_forward: {train: 3 years}", "walk_forward.train: \"3 years\" is not allowed; use a number followed by y, mo, d"},
           {"dqn: {}\ndata: {sources: [{layout: wide}]}", "data.sources[0].path: is missing"},
           {"dqn: {}\nmarket: {positions: [1]}", "market.positions: has 1 elements, at least 2"}}) {
    EXPECT_THAT(Wrong(wrong.text), HasSubstr(wrong.part)) << wrong.text;
  }
}

TEST(ValidateJob, FieldsTogether) {
  for (const Case& wrong : std::initializer_list<Case>{
           {"env: synthetic", "the job names no task"},
           {"ppo: {}", "ppo: the task ppo is not available"},
           {"dqn: {}", "data.sources: is missing; env: market needs at least one file"},
           {"dqn: {}\nenv: synthetic\nmarket: {cost_bps: 1}", "market: belongs to env: market"},
           {"dqn: {}\nsynthetic: {mu: 1}\ndata: {sources: [{path: m:x}]}", "synthetic: belongs to env: synthetic"},
           {"env: synthetic\ndqn: {batch_size: 2000}", "dqn.batch_size: is 2000, more than the 1000 transitions that dqn.warmup_steps"},
           {"env: synthetic\ndqn: {steps: 500}", "dqn.steps: is 500; the first update comes after dqn.warmup_steps 1000"},
           {"env: synthetic\ndqn: {replay_capacity: 10}", "dqn.batch_size: is 64, more than dqn.replay_capacity 10"},
           {"env: synthetic\ndqn: {epsilon_start: .1, epsilon_end: .2}", "dqn.epsilon_end: "},
           {"env: synthetic\ndqn: {atoms: 21}", "dqn.atoms: has no effect with dqn.value_head scalar"},
           {"env: synthetic\ndqn: {value_head: c51, quantiles: 4}", "dqn.quantiles: has no effect with dqn.value_head c51"},
           {"env: synthetic\ndqn: {value_head: iqn, v_min: -1, v_max: 1}", "dqn.v_min: has no effect with dqn.value_head iqn"},
           {"env: synthetic\ndqn: {value_head: c51, iqn_weight: 2}", "dqn.iqn_weight: has no effect"},
           {"env: synthetic\ndqn: {momentum: 0.5}", "dqn.momentum: has no effect with dqn.optimizer adam"},
           {"env: synthetic\ndqn: {optimizer: adamw, momentum: 0}", "dqn.momentum: has no effect with dqn.optimizer adamw"},
           {"env: synthetic\ndqn: {optimizer: sgd, adam_epsilon: 1e-8}", "dqn.adam_epsilon: has no effect with dqn.optimizer sgd"},
           {"env: synthetic\ndqn: {optimizer: adagrad}", "dqn.optimizer: "},
           {"env: synthetic\ndqn: {clip_norm: l1}", "dqn.clip_norm: "},
           {"env: synthetic\ndqn: {value_head: c51, v_min: 1, v_max: 1}", "dqn.v_min: is 1, not below dqn.v_max 1"},
           {"env: synthetic\ndqn: {value_head: c51, v_min: 1}", "dqn.v_max: is missing"},
           {"env: synthetic\ndqn: {noisy: true, epsilon_end: .1}", "dqn.epsilon_end: has no effect with dqn.noisy"},
           {"env: synthetic\ndqn: {noisy_sigma: .1}", "dqn.noisy_sigma: has no effect without dqn.noisy"},
           {"env: synthetic\ndqn: {priority_beta: .5}", "dqn.priority_beta: has no effect without dqn.prioritized"},
           {"env: synthetic\ndqn: {target_every: 10, target_tau: .1}", "dqn.target_every: has no effect with dqn.target_tau"},
           {"env: synthetic\ndqn: {n_step: 100, replay_capacity: 100}", "dqn.n_step: is 100, but dqn.replay_capacity"},
           {"env: synthetic\ndqn: {}\nresources: {slots: 2}", "resources.slots: is 2"},
           {"dqn: {}\ndata: {sources: [{path: m:x}]}\nmarket: {positions: [1, -1]}", "market.positions: must ascend"},
           {"dqn: {}\ndata: {sources: [{path: m:x}]}\nmarket: {positions: [-1, 1], max_position: 0.5}",
            "market.positions: no position is within"},
           {"dqn: {}\ndata: {sources: [{path: m:x}]}\nwalk_forward: {first_test: 2003-02-30}", "is not a day of the calendar"},
           {"dqn: {}\ndata: {sources: [{path: m:x}]}\nwalk_forward: {first_test: 2003-02-01, last_test: 2002-01-01}",
            "walk_forward.last_test: "}}) {
    EXPECT_THAT(Wrong(wrong.text), HasSubstr(wrong.part)) << wrong.text;
  }
}

TEST(ValidateJob, BoundsOfWholeNumbersAreExact) {
  const auto seed = [](int64_t value) {
    v1::JobSpec spec;
    spec.mutable_dqn();
    spec.set_env("synthetic");
    spec.set_seed(value);
    return ValidateJob(spec);
  };
  EXPECT_TRUE(seed(9'007'199'254'740'992).empty());
  EXPECT_FALSE(seed(9'007'199'254'740'993).empty());
}

TEST(ValidateConfig, ALeaseOutlastsALateHeartbeat) {
  config::v1::DaemonConfig config;
  config.mutable_workers()->set_heartbeat("30s");
  config.mutable_workers()->set_lease("10s");
  const std::vector<FieldError> errors = ValidateConfig(config);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path, "workers.lease");
}

TEST(ValidateJob, ARuleOverAWrongFieldStaysSilent) {
  const std::string text = Wrong("env: synthetic\ndqn: {batch_size: 0}");
  EXPECT_THAT(text, HasSubstr("dqn.batch_size: 0 is out of range"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("warmup")));
}

TEST(Legible, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(Legible("row 7: \"Δw\"\nnext"), "row 7: \"Δw\"\nnext");
  EXPECT_EQ(Legible("\x1b[31m\t"), "\\x1b[31m\\x09");
  EXPECT_EQ(Legible("a\xff\xce\x94"), "a\\xff\\xce\\x94");
}

TEST(Normalise, FillsTheBlocksThatMatter) {
  const v1::JobSpec synthetic = NormaliseJob(ReadJob(kGood));
  EXPECT_EQ(synthetic.dqn().batch_size(), 64);
  EXPECT_EQ(synthetic.synthetic().cost(), 2);
  EXPECT_FALSE(synthetic.has_market());
  EXPECT_FALSE(synthetic.has_data());
  EXPECT_EQ(synthetic.retry().crashed(), 3);
  const v1::JobSpec market = NormaliseJob(ReadJob("dqn: {}\ndata: {sources: [{path: m:x.csv}]}\n"));
  EXPECT_EQ(market.env(), "market");
  EXPECT_THAT(market.market().positions(), ::testing::ElementsAre(-1, -.5, 0, .5, 1));
  EXPECT_EQ(market.data().sources(0).layout(), "auto");
  EXPECT_FALSE(market.has_synthetic());
}

TEST(Normalise, IsIdempotentAndValid) {
  const v1::JobSpec once = NormaliseJob(ReadJob(kGood));
  EXPECT_EQ(DeterministicBytes(NormaliseJob(once)), DeterministicBytes(once));
  EXPECT_THAT(ValidateJob(once), IsEmpty());
}

// The hash names what runs, not how it was written.
TEST(SpecHash, DefaultsWrittenOutChangeNothing) {
  const std::string hash = SpecHash(NormaliseJob(ReadJob(kGood)));
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_EQ(SpecHash(NormaliseJob(ReadJob("dqn: {batch_size: 64, hidden: [64, 64]}\nenv: synthetic\npriority: 50\n"))), hash);
  EXPECT_NE(SpecHash(NormaliseJob(ReadJob("dqn: {batch_size: 65}\nenv: synthetic\n"))), hash);
  const v1::JobSpec labels = NormaliseJob(ReadJob("dqn: {}\nenv: synthetic\nlabels: {a: x, b: y, c: z}\n"));
  EXPECT_EQ(SpecHash(labels), SpecHash(NormaliseJob(ReadJob("dqn: {}\nenv: synthetic\nlabels: {c: z, b: y, a: x}\n"))));
}

}  // namespace
}  // namespace traind::spec
