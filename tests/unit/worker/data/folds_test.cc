#include "worker/data/folds.h"

#include "common/base/failure.h"
#include "tests/testing/status_matchers.h"
#include "tests/unit/worker/job_params.h"
#include "worker/data/dataset.h"

namespace traind::worker::data {
namespace {

using ::testing::HasSubstr;

std::vector<int64_t> Days(absl::CivilDay first, int64_t count) {
  std::vector<int64_t> times;
  for (int64_t i = 0; i < count; ++i) times.push_back(absl::ToUnixNanos(absl::FromCivil(first + i, absl::UTCTimeZone())));
  return times;
}

RangeLength Length(const char* text) { return *RangeLength::Parse(text); }

TEST(RangeLength, Units) {
  EXPECT_EQ(Length("3y").unit, RangeLength::Unit::kYears);
  EXPECT_EQ(Length("6mo").count, 6);
  EXPECT_EQ(Length("90d").unit, RangeLength::Unit::kDays);
  EXPECT_EQ(Length("1000").unit, RangeLength::Unit::kBars);
  for (const char* bad : {"", "y", "0", "-1", "3w", "1.5y", "99999999999"}) EXPECT_FALSE(RangeLength::Parse(bad).ok()) << bad;
}

TEST(Folds, BarsByHand) {
  FoldOptions options{.train = Length("10"), .test = Length("4"), .purge = 2};
  ASSERT_OK_AND_ASSIGN(const auto folds, MakeFolds(Days(absl::CivilDay(2020, 1, 1), 21), options));
  // One bar is left over: nothing can be earned on it.
  ASSERT_EQ(folds.size(), 2u);
  EXPECT_EQ(folds[0].train, (std::vector<RowRange>{{0, 10}}));
  EXPECT_EQ(folds[0].test, (RowRange{12, 16}));
  EXPECT_EQ(folds[1].train, (std::vector<RowRange>{{4, 14}}));
  EXPECT_EQ(folds[1].test, (RowRange{16, 20}));
}

TEST(Folds, YearsByHand) {
  FoldOptions options{.train = Length("2y"), .test = Length("1y"), .first_test = absl::CivilDay(2003, 1, 1), .purge = 5};
  ASSERT_OK_AND_ASSIGN(const auto folds, MakeFolds(Days(absl::CivilDay(2001, 1, 1), 365 * 4 + 1), options));
  ASSERT_EQ(folds.size(), 2u);
  EXPECT_EQ(folds[0].name, "2003-01-01..2003-12-31");
  EXPECT_EQ(folds[0].train, (std::vector<RowRange>{{0, 730 - 5}}));
  EXPECT_EQ(folds[0].test, (RowRange{730, 1095}));
  EXPECT_EQ(folds[1].train, (std::vector<RowRange>{{365, 1095 - 5}}));
}

TEST(Folds, AnchoredStartsAtTheBeginningAndEmbargoLeavesHoles) {
  FoldOptions options{.anchored = true, .train = Length("10"), .test = Length("4"), .embargo = 3};
  ASSERT_OK_AND_ASSIGN(const auto folds, MakeFolds(Days(absl::CivilDay(2020, 1, 1), 22), options));
  ASSERT_EQ(folds.size(), 3u);
  EXPECT_EQ(folds[0].train, (std::vector<RowRange>{{0, 10}}));
  EXPECT_EQ(folds[1].train, (std::vector<RowRange>{{0, 14}}));
  // Rows 14 to 16 follow the first test range [10, 14).
  EXPECT_EQ(folds[2].train, (std::vector<RowRange>{{0, 14}, {17, 18}}));
  EXPECT_EQ(folds[2].train_rows(), 15);
}

// Over many shapes: test ranges follow one another, and no training row is nearer than the purge to its test.
TEST(Folds, NeverLookAhead) {
  for (const char* train : {"50", "3mo", "1y"}) {
    for (const char* test : {"7", "1mo", "40d"}) {
      for (const int64_t purge : {0, 3}) {
        for (const bool anchored : {false, true}) {
          FoldOptions options{.anchored = anchored, .train = Length(train), .test = Length(test), .purge = purge, .embargo = 2};
          ASSERT_OK_AND_ASSIGN(const auto folds, MakeFolds(Days(absl::CivilDay(2019, 3, 5), 800), options));
          ASSERT_GT(folds.size(), 2u);
          for (size_t i = 0; i < folds.size(); ++i) {
            for (const RowRange& range : folds[i].train) {
              EXPECT_LE(range.end, folds[i].test.begin - purge);
              EXPECT_GE(range.begin, 0);
            }
            if (i > 0) {
              EXPECT_EQ(folds[i].test.begin, folds[i - 1].test.end);
            }
          }
        }
      }
    }
  }
}

// The shipped stocks: 3 years train, test years 2003 to 2012, though the data begin in March 2000.
TEST(Folds, TenTestYearsOfTheShippedStocks) {
  ASSERT_OK_AND_ASSIGN(const Dataset dataset,
                       LoadDataset(DataParams("examples/data/daily_AAPL_IBM_MSFT.csv"), OpenBelow(TRAIND_SOURCE_DIR)));
  FoldOptions options{.train = Length("3y"),
                      .test = Length("1y"),
                      .first_test = absl::CivilDay(2003, 1, 1),
                      .last_test = absl::CivilDay(2012, 1, 31),
                      .purge = 5};
  ASSERT_OK_AND_ASSIGN(const auto folds, MakeFolds(dataset.instruments[0].time_ns, options));
  ASSERT_EQ(folds.size(), 10u);
  EXPECT_EQ(folds.front().name, "2003-01-02..2003-12-31");
  EXPECT_EQ(folds.back().name, "2012-01-03..2012-12-31");
}

TEST(Folds, TooFewRowsComeWithNumbers) {
  FoldOptions options{.train = Length("100"), .test = Length("10"), .purge = 5};
  const absl::Status status = MakeFolds(Days(absl::CivilDay(2020, 1, 1), 50), options).status();
  EXPECT_EQ(CauseOf(status), FailureCause::kData);
  EXPECT_THAT(std::string(status.message()), HasSubstr("50 bars"));
}

}  // namespace
}  // namespace traind::worker::data
