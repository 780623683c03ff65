// Every layout and date form of the market files, read without being told; figures as measured when the files were published.
#include <cmath>

#include "tests/testing/status_matchers.h"
#include "tests/unit/worker/job_params.h"
#include "worker/data/dataset.h"

namespace traind::worker::data {
namespace {

absl::StatusOr<Dataset> Load(const std::string& path, const std::function<void(Params&)>& change = {}) {
  Params params = DataParams(path);
  if (change) change(params);
  return LoadDataset(params, OpenBelow(TRAIND_SOURCE_DIR));
}

std::string FirstTime(const Instrument& bars) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::FromUnixNanos(bars.time_ns.front()), absl::UTCTimeZone());
}

struct Expected {
  const char* path;
  size_t instruments;
  int64_t rows;  // of each
  const char* first_time;
  bool has_open;
  bool has_volume;
  int64_t missing = 0;  // rows without a price, dropped
};

class Dialects : public ::testing::TestWithParam<Expected> {};

TEST_P(Dialects, ReadAsPublished) {
  const Expected& expected = GetParam();
  const auto drop_missing = [&](Params& params) {
    if (expected.missing > 0) params.Set("data.policy.missing", std::string("drop"), true);
  };
  ASSERT_OK_AND_ASSIGN(const Dataset dataset, Load(expected.path, drop_missing));
  EXPECT_EQ(dataset.report.instruments[0].missing, expected.missing);
  ASSERT_EQ(dataset.instruments.size(), expected.instruments);
  for (const Instrument& bars : dataset.instruments) {
    EXPECT_EQ(bars.rows(), expected.rows) << bars.name;
    EXPECT_EQ(FirstTime(bars), expected.first_time) << bars.name;
    EXPECT_EQ(bars.has_open(), expected.has_open);
    EXPECT_EQ(!bars.volume.empty(), expected.has_volume);
    EXPECT_EQ(bars.segment.size(), static_cast<size_t>(bars.rows()));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Dialects,
                         ::testing::Values(Expected{"tests/data/market/FOREX_EURUSD_1H_ASK.csv", 1, 6225, "2017-01-01 22:00:00", true,
                                                    true},
                                           Expected{"tests/data/market/STOCKS_GOOGL.csv", 1, 2335, "2009-05-22 00:00:00", true, true},
                                           Expected{"tests/data/market/sp500.csv", 1, 5031, "1999-01-04 00:00:00", true, true},
                                           Expected{"tests/data/market/nasdaq.csv", 1, 5031, "1999-01-04 00:00:00", true, true},
                                           Expected{"tests/data/market/vix.csv", 1, 1259, "2014-01-03 00:00:00", false, false, 46},
                                           Expected{"tests/data/market/wti.csv", 1, 8321, "1986-01-02 00:00:00", false, false, 290},
                                           Expected{"tests/data/market/sp500_20_stocks.csv", 20, 8313, "1990-01-02 00:00:00", false, false},
                                           Expected{"tests/data/market/euro-ohlcv-1h.csv", 1, 120, "2017-01-06 02:00:00", true, true},
                                           Expected{"examples/data/daily_AAPL_IBM_MSFT.csv", 3, 3270, "2000-03-01 00:00:00", true, true}));

TEST(Dialects, CountsMatchTheNotes) {
  ASSERT_OK_AND_ASSIGN(const Dataset nasdaq, Load("tests/data/market/nasdaq.csv"));
  EXPECT_EQ(nasdaq.report.instruments[0].zero_volume, 2);
  EXPECT_EQ(nasdaq.report.instruments[0].ohlc_violations, 0);
  ASSERT_OK_AND_ASSIGN(const Dataset eurusd, Load("tests/data/market/FOREX_EURUSD_1H_ASK.csv"));
  EXPECT_EQ(eurusd.report.instruments[0].usual_step_ns, int64_t{3600} * 1'000'000'000);
  // 51 weekends and holidays, and one shorter pause; data.policy.max_gap is 5 usual steps.
  EXPECT_EQ(eurusd.report.instruments[0].gaps, 52);
}

// Four splits: unadjusted closes halve over night, adjusted ones do not.
TEST(Dialects, AdjustedPricesHideSplits) {
  const auto count_jumps = [](const Dataset& dataset) {
    int jumps = 0;
    for (const Instrument& bars : dataset.instruments) {
      for (int64_t t = 1; t < bars.rows(); ++t) jumps += std::abs(bars.close[t] / bars.close[t - 1] - 1) > .4;
    }
    return jumps;
  };
  ASSERT_OK_AND_ASSIGN(const Dataset raw,
                       Load("examples/data/daily_AAPL_IBM_MSFT.csv", [](Params& p) { p.Set("data.price", std::string("raw"), true); }));
  ASSERT_OK_AND_ASSIGN(const Dataset adjusted, Load("examples/data/daily_AAPL_IBM_MSFT.csv"));
  EXPECT_EQ(count_jumps(raw), 4);
  EXPECT_LT(count_jumps(adjusted), 4);
  const Instrument& apple = adjusted.instruments[0];
  EXPECT_EQ(apple.name, "AAPL");
  EXPECT_NEAR(apple.close[0], 4.186662803811, 1e-9);
  EXPECT_NEAR(apple.open[0] / apple.close[0], 118.56 / 130.31, 1e-9);
  EXPECT_NE(raw.report.fingerprint, adjusted.report.fingerprint);
}

TEST(Dialects, OnlyTheInstrumentsAskedFor) {
  ASSERT_OK_AND_ASSIGN(const Dataset dataset, Load("examples/data/daily_AAPL_IBM_MSFT.csv",
                                                   [](Params& p) { p.Set("data.instruments", std::vector<std::string>{"MSFT"}, true); }));
  ASSERT_EQ(dataset.instruments.size(), 1u);
  EXPECT_EQ(dataset.instruments[0].name, "MSFT");
}

}  // namespace
}  // namespace traind::worker::data
