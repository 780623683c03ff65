#include "common/base/status.h"

#include "tests/testing/status_matchers.h"

namespace traind {
namespace {

using testing::StatusIs;

absl::StatusOr<int> Half(int n) {
  if (n % 2 != 0) return absl::InvalidArgumentError("odd");
  return n / 2;
}

absl::StatusOr<int> Quarter(int n) {
  ASSIGN_OR_RETURN(const int half, Half(n));
  RETURN_IF_ERROR(Half(half));
  return Half(half);
}

TEST(StatusMacros, PassErrorsOn) {
  EXPECT_THAT(Quarter(8), testing::IsOkAndHolds(2));
  EXPECT_THAT(Quarter(6), StatusIs(absl::StatusCode::kInvalidArgument, "odd"));
}

TEST(FieldErrors, AllAreKeptAndReadable) {
  const std::vector<FieldError> errors = {{"dqn.gamma", "must be below 1"}, {"data.sources[0].path", "is missing"}};
  const absl::Status status = WithReason(FieldErrorsStatus(errors), "SPEC_INVALID");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, "dqn.gamma: must be below 1\ndata.sources[0].path: is missing"));
  EXPECT_EQ(FieldErrorsOf(Annotate(status, "job.yaml")), errors);
  EXPECT_EQ(ReasonOf(Annotate(status, "job.yaml")), "SPEC_INVALID");
  EXPECT_OK(FieldErrorsStatus({}));
}

}  // namespace
}  // namespace traind
