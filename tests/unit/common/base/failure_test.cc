#include "common/base/failure.h"

#include "common/base/status.h"
#include "gtest/gtest.h"

namespace traind {
namespace {

TEST(Failure, CauseSurvivesAnnotationAndExitCode) {
  const absl::Status status = Annotate(WithCause(absl::InvalidArgumentError("row 7: NaN"), FailureCause::kData), "reading x.csv");
  EXPECT_EQ(CauseOf(status), FailureCause::kData);
  EXPECT_EQ(status.message(), "reading x.csv: row 7: NaN");
  EXPECT_EQ(CauseOfExit(ExitCodeOf(CauseOf(status)), 0), FailureCause::kData);
}

TEST(Failure, CodeGivesTheCauseWhereNoneIsAttached) {
  EXPECT_EQ(CauseOf(absl::OkStatus()), FailureCause::kNone);
  EXPECT_EQ(CauseOf(absl::InvalidArgumentError("x")), FailureCause::kConfig);
  EXPECT_EQ(CauseOf(absl::ResourceExhaustedError("x")), FailureCause::kOomHost);
  EXPECT_EQ(CauseOf(absl::InternalError("x")), FailureCause::kCrashed);
}

TEST(Failure, SignalsAndUnknownCodesAreCrashes) {
  EXPECT_EQ(CauseOfExit(0, 9), FailureCause::kCrashed);
  EXPECT_EQ(CauseOfExit(3, 0), FailureCause::kCrashed);
}

TEST(Failure, NamesRoundTrip) {
  EXPECT_EQ(FailureCauseFromName(FailureCauseName(FailureCause::kOomDevice)), FailureCause::kOomDevice);
  EXPECT_EQ(FailureCauseFromName("nonsense"), std::nullopt);
}

}  // namespace
}  // namespace traind
