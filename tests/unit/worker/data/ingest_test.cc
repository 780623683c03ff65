// What is wrong with a file: every answer names file, row and column, and the policy that would let it pass.
#include "common/base/failure.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "tests/unit/worker/job_params.h"
#include "worker/data/dataset.h"

namespace traind::worker::data {
namespace {

using ::testing::HasSubstr;

class IngestTest : public ::testing::Test {
 protected:
  absl::StatusOr<Dataset> Load(const std::string& content, const std::function<void(Params&)>& change = {}) {
    folder_.Write("x.csv", content);
    Params params = DataParams("x.csv");
    if (change) change(params);
    return LoadDataset(params, OpenBelow(folder_.path().string()));
  }
  void Refuses(const std::string& content, const std::vector<std::string>& parts, const std::function<void(Params&)>& change = {}) {
    const absl::Status status = Load(content, change).status();
    ASSERT_FALSE(status.ok()) << content.substr(0, 200);
    EXPECT_EQ(CauseOf(status), FailureCause::kData) << status;
    for (const std::string& part : parts) EXPECT_THAT(std::string(status.message()), HasSubstr(part));
  }
  static std::function<void(Params&)> With(const std::string& key, const std::string& value) {
    return [=](Params& params) { params.Set("data." + key, value, true); };
  }

  testing::TempDir folder_;
};

const char kHead[] = "Date,Open,High,Low,Close,Volume\n";
const char kRows[] = "2020-01-01,10,12,9,11,5\n2020-01-02,11,13,10,12,5\n2020-01-03,12,14,11,13,5\n";

TEST_F(IngestTest, AGoodFile) {
  ASSERT_OK_AND_ASSIGN(const Dataset dataset, Load(std::string(kHead) + kRows));
  EXPECT_EQ(dataset.instruments[0].name, "x");
  EXPECT_EQ(dataset.instruments[0].close, (std::vector<double>{11, 12, 13}));
}

TEST_F(IngestTest, MissingColumnsListWhatThereIs) {
  Refuses("Date;Close\n2020-01-01;1\n", {"x.csv", "semicolons"});
  Refuses("Day,Open,High,Low,Close\n2020-01-01,1,1,1,1\n", {"x.csv", "no time column", "Day, Open", "data.sources[0].columns.time"});
  Refuses("Date,Open,High,Low,Klose,Volume\n2020-01-01,1,1,1,1,1\n", {"x.csv", "close", "Klose"});
  Refuses("Date,Close,Close\n2020-01-01,1,2\n", {"x.csv", "columns 2 and 3 are both named 'Close'"});
  Refuses(std::string(kHead) + kRows, {"no column Last"}, With("sources[0].columns.close", "Last"));
}

TEST_F(IngestTest, OrderAndRepeats) {
  const std::string unsorted = std::string(kHead) + "2020-01-02,11,13,10,12,5\n2020-01-01,10,12,9,11,5\n";
  Refuses(unsorted, {"row 3", "column Date", "data.policy.unsorted: sort"});
  ASSERT_OK_AND_ASSIGN(const Dataset sorted, Load(unsorted, With("policy.unsorted", "sort")));
  EXPECT_EQ(sorted.instruments[0].close, (std::vector<double>{11, 12}));
  EXPECT_EQ(sorted.report.instruments[0].unsorted, 1);

  const std::string repeated = std::string(kHead) + "2020-01-01,10,12,9,11,5\n2020-01-01,11,13,10,12,5\n";
  Refuses(repeated, {"row 3", "row 2", "data.policy.duplicate: drop"});
  ASSERT_OK_AND_ASSIGN(const Dataset first, Load(repeated, With("policy.duplicate", "drop")));
  EXPECT_EQ(first.instruments[0].close, (std::vector<double>{11}));
}

TEST_F(IngestTest, PricesThatAreNone) {
  for (const char* cell : {"nan", "", "0", "-3", "inf"}) {
    const std::string content = std::string(kHead) + kRows + "2020-01-04,12,14,11," + cell + ",5\n";
    Refuses(content, {"row 5", "column Close", "data.policy.missing: drop"});
    ASSERT_OK_AND_ASSIGN(const Dataset dropped, Load(content, With("policy.missing", "drop")));
    EXPECT_EQ(dropped.instruments[0].rows(), 3) << cell;
    EXPECT_EQ(dropped.report.instruments[0].missing, 1);
  }
  Refuses(std::string(kHead) + "2020-01-01,10,12,9,abc,5\n", {"row 2", "column Close", "\"abc\" is not a number"});
}

TEST_F(IngestTest, ChecksFollowTheirPolicies) {
  const std::string content = std::string(kHead) + kRows + "2020-01-04,12,11,14,13,0\n2020-01-05,12,14,11,13,0\n";
  ASSERT_OK_AND_ASSIGN(const Dataset marked, Load(content));
  EXPECT_EQ(marked.report.instruments[0].ohlc_violations, 1);
  EXPECT_EQ(marked.report.instruments[0].zero_volume, 2);
  EXPECT_EQ(marked.instruments[0].rows(), 5);
  Refuses(content, {"row 5", "data.policy.ohlc"}, With("policy.ohlc", "error"));
  Refuses(content, {"row 5", "data.policy.zero_volume"}, With("policy.zero_volume", "error"));
  ASSERT_OK_AND_ASSIGN(const Dataset dropped, Load(content, With("policy.ohlc", "drop")));
  EXPECT_EQ(dropped.instruments[0].rows(), 4);
  EXPECT_EQ(dropped.instruments[0].volume.size(), 4u);
}

TEST_F(IngestTest, GapsSplitWhenAsked) {
  const std::string content = std::string(kHead) + kRows + "2020-03-01,12,14,11,13,5\n2020-03-02,12,14,11,13,5\n";
  ASSERT_OK_AND_ASSIGN(const Dataset marked, Load(content));
  EXPECT_EQ(marked.report.instruments[0].gaps, 1);
  EXPECT_EQ(marked.instruments[0].segment.back(), 0);
  ASSERT_OK_AND_ASSIGN(const Dataset split, Load(content, With("policy.gap", "split")));
  EXPECT_EQ(split.instruments[0].segment, (std::vector<int32_t>{0, 0, 0, 1, 1}));
  Refuses(content, {"a gap of", "2020-01-03", "data.policy.gap"}, With("policy.gap", "error"));
}

TEST_F(IngestTest, DatesThatCouldBeEither) {
  Refuses("Date,Close\n1/2/2020,5\n2/3/2020,6\n", {"day-first or month-first", "data.sources[0].date_format"});
  ASSERT_OK_AND_ASSIGN(const Dataset day, Load("Date,Close\n1/2/2020,5\n2/2/2020,6\n", With("sources[0].date_format", "day_first")));
  EXPECT_EQ(day.report.instruments[0].usual_step_ns, int64_t{86400} * 1'000'000'000);
  Refuses("Date,Close\n2020-01-01,5\n31.01.2020,6\n", {"row 3", "another date format"});
  Refuses("Date,Close\n2020-02-31,5\n2020-03-01,6\n", {"row 2", "not a day of the calendar"});
  Refuses("Date,Close\nyesterday,5\n", {"row 2", "is not a date"});
}

TEST_F(IngestTest, EpochUnitsAreFoundAndMayNotChange) {
  ASSERT_OK_AND_ASSIGN(const Dataset seconds, Load("Time,Close\n1577836800,5\n1577840400,6\n"));
  ASSERT_OK_AND_ASSIGN(const Dataset millis, Load("Time,Close\n1577836800000,5\n1577840400000,6\n"));
  EXPECT_EQ(seconds.instruments[0].time_ns, millis.instruments[0].time_ns);
  Refuses("Time,Close\n1577836800000,5\n1577840400000000,6\n", {"row 3", "another unit"});
}

TEST_F(IngestTest, LocalTimesThatDoNotExistOrExistTwice) {
  const auto new_york = With("sources[0].timezone", "America/New_York");
  Refuses("Time,Close\n2020-03-08 02:30:00,5\n", {"row 2", "does not exist"}, new_york);
  Refuses("Time,Close\n2020-11-01 01:30:00,5\n", {"row 2", "twice"}, new_york);
  ASSERT_OK_AND_ASSIGN(const Dataset dataset, Load("Time,Close\n2020-01-02 16:00:00,5\n", new_york));
  EXPECT_EQ(dataset.instruments[0].time_ns[0], absl::ToUnixNanos(absl::FromCivil(absl::CivilSecond(2020, 1, 2, 21), absl::UTCTimeZone())));
}

TEST_F(IngestTest, FilesThatAreNoTables) {
  Refuses("", {"x.csv"});
  Refuses(kHead, {"x.csv", "no rows"});
  Refuses(std::string("\0\1\2\3\xff\xfe", 6), {"x.csv"});
  Refuses(std::string(kHead) + "2020-01-01,1,2\n", {"x.csv", "Row #2"});
  Refuses("\n\n\n", {"x.csv"});
}

TEST_F(IngestTest, PrecomputedFeatures) {
  const auto with_column = [](Params& params) { params.Set("data.feature_columns", std::vector<std::string>{"signal"}, true); };
  ASSERT_OK_AND_ASSIGN(const Dataset dataset, Load("Date,Close,signal\n2020-01-01,5,.5\n2020-01-02,6,-.5\n", with_column));
  EXPECT_EQ(dataset.instruments[0].extra[0], (std::vector<double>{.5, -.5}));
  Refuses("Date,Close,other\n2020-01-01,5,1\n", {"no feature column signal"}, with_column);
  Refuses("Date,Close,signal\n2020-01-01,5,\n", {"row 2", "column signal", "finite"}, with_column);
}

TEST_F(IngestTest, SameInstrumentFromTwoSourcesIsRefused) {
  folder_.Write("y.csv", std::string(kHead) + kRows);
  Refuses(std::string(kHead) + kRows, {"two sources"}, [](Params& params) {
    params.Set("data.sources[0].instrument", std::string("A"), true);
    for (const char* key : {"layout", "date_format"}) params.Set(std::string("data.sources[1].") + key, std::string("auto"), false);
    params.Set("data.sources[1].path", std::string("y.csv"), true);
    params.Set("data.sources[1].instrument", std::string("A"), true);
  });
}

TEST_F(IngestTest, ZonesThatAreNone) {
  ASSERT_OK_AND_ASSIGN(const Dataset dataset, Load("Date,Close\n2020-01-01T00:00:00+14:00,1\n2020-01-01T00:00:00-09:30,2\n"));
  EXPECT_EQ(dataset.instruments[0].time_ns[1] - dataset.instruments[0].time_ns[0], absl::ToInt64Nanoseconds(absl::Hours(23.5)));
  for (const char* zone : {"+15:00", "+09:60"}) {
    Refuses(absl::StrCat("Date,Close\n2020-01-01T00:00:00", zone, ",1\n"), {"row 2", zone});
  }
}

TEST_F(IngestTest, TimesBeyondWhatNanosecondsHold) {
  for (const char* time : {"9999-01-01", "0001-01-01", "2261-01-01", "90000000000", "90000000000000", "9190000000000000000"}) {
    Refuses(absl::StrCat("Date,Close\n", time, ",1\n"), {"row 2", "outside the years"});
  }
}

}  // namespace
}  // namespace traind::worker::data
