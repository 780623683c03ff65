#include "worker/rl/dqn_options.h"

#include <limits>

#include "gmock/gmock.h"
#include "tests/testing/status_matchers.h"
#include "tests/unit/worker/job_params.h"
#include "worker/rl/memory_need.h"

namespace traind::worker::rl {
namespace {

TEST(DqnOptions, ReadTheOptimizerAndTheNorm) {
  Params params = SyntheticParams(2);
  ASSERT_OK_AND_ASSIGN(const DqnOptions defaults, DqnOptions::FromParams(params));
  EXPECT_EQ(defaults.optimizer.kind, train::OptimizerKind::kAdam);
  EXPECT_EQ(defaults.optimizer.epsilon, 1.5e-4);
  EXPECT_EQ(defaults.optimizer.momentum, 0) << "only sgd has it";
  EXPECT_EQ(defaults.clip_norm_order, 2);

  params.Set("dqn.optimizer", std::string("sgd"), true);
  params.Set("dqn.weight_decay", .01, true);
  params.Set("dqn.clip_norm", std::string("inf"), true);
  ASSERT_OK_AND_ASSIGN(const DqnOptions sgd, DqnOptions::FromParams(params));
  EXPECT_EQ(sgd.optimizer.kind, train::OptimizerKind::kSgd);
  EXPECT_EQ(sgd.optimizer.momentum, .9);
  EXPECT_EQ(sgd.optimizer.weight_decay, .01);
  EXPECT_EQ(sgd.clip_norm_order, std::numeric_limits<double>::infinity());

  params.Set("dqn.optimizer", std::string("adamw"), true);
  ASSERT_OK_AND_ASSIGN(const DqnOptions adamw, DqnOptions::FromParams(params));
  EXPECT_EQ(adamw.optimizer.kind, train::OptimizerKind::kAdamW);
}

// Online, target, gradient; two moments, one buffer or none beside them.
TEST(DqnOptions, AnOptimizerNeedsMemoryForWhatItKeeps) {
  ASSERT_OK_AND_ASSIGN(DqnOptions options, DqnOptions::FromParams(SyntheticParams(2)));
  const uint64_t adam = MemoryNeedOf(options, 4, 3).network;
  options.optimizer.kind = train::OptimizerKind::kSgd;
  EXPECT_EQ(MemoryNeedOf(options, 4, 3).network * 5, adam * 3);
  options.optimizer.momentum = .9;
  EXPECT_EQ(MemoryNeedOf(options, 4, 3).network * 5, adam * 4);
}

TEST(DqnOptions, RefuseANameThatIsNone) {
  for (const char* key : {"dqn.optimizer", "dqn.clip_norm", "dqn.value_head"}) {
    Params params = SyntheticParams(2);
    params.Set(key, std::string("other"), true);
    EXPECT_THAT(std::string(DqnOptions::FromParams(params).status().message()), ::testing::HasSubstr("there is no")) << key;
  }
}

}  // namespace
}  // namespace traind::worker::rl
