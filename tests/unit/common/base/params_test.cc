#include "common/base/params.h"

#include "common/base/status.h"
#include "tests/testing/status_matchers.h"

namespace traind {
namespace {

using testing::IsOkAndHolds;
using testing::StatusCodeIs;

TEST(Params, ReadsTypedValues) {
  Params params;
  params.Set("dqn.steps", int64_t{100}, true);
  params.Set("dqn.gamma", 0.9, false);
  EXPECT_THAT(params.Get<int64_t>("dqn.steps"), IsOkAndHolds(100));
  EXPECT_THAT(params.Get<double>("dqn.steps"), IsOkAndHolds(100.0));
  EXPECT_THAT(params.Get<double>("dqn.gamma"), IsOkAndHolds(0.9));
  EXPECT_THAT(params.Get<int64_t>("dqn.gamma"), StatusCodeIs(absl::StatusCode::kInternal));
  EXPECT_THAT(params.Get<double>("dqn.absent"), StatusCodeIs(absl::StatusCode::kInternal));
  EXPECT_THAT(params.GetOr<double>("dqn.absent", 2.0), IsOkAndHolds(2.0));
}

TEST(Params, CountsListElements) {
  Params params;
  params.Set("data.sources[0].path", std::string("a"), true);
  params.Set("data.sources[0].layout", std::string("auto"), false);
  params.Set("data.sources[1].path", std::string("b"), true);
  EXPECT_EQ(params.Count("data.sources"), 2);
  EXPECT_EQ(params.Count("data.features"), 0);
}

TEST(Params, NamesEachUserKeyThatNobodyRead) {
  Params params;
  params.Set("a", int64_t{1}, true);
  params.Set("b", int64_t{1}, true);
  params.Set("c", int64_t{1}, false);
  params.Set("labels.x", std::string("y"), true);
  EXPECT_OK(params.Get<int64_t>("a"));
  params.MarkRead("labels.");
  const std::vector<FieldError> errors = FieldErrorsOf(params.CheckAllRead());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path, "b");
}

}  // namespace
}  // namespace traind
