// Walk-forward: training range, purge, test range, then on by the length of the test. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "common/base/params.h"

namespace traind::worker::data {

// A length of time by the calendar, or a number of bars.
struct RangeLength {
  enum class Unit { kBars, kDays, kMonths, kYears };
  int64_t count = 0;
  Unit unit = Unit::kBars;
  // "3y", "6mo", "90d", "1000". INVALID_ARGUMENT otherwise.
  static absl::StatusOr<RangeLength> Parse(absl::string_view text);
};

struct FoldOptions {
  bool anchored = false;
  RangeLength train{3, RangeLength::Unit::kYears};
  RangeLength test{1, RangeLength::Unit::kYears};
  std::optional<absl::CivilDay> first_test, last_test;
  int64_t purge = 0;    // bars left out between train and test
  int64_t embargo = 0;  // bars after an earlier test range that later training ranges leave out
  int64_t max_folds = 1000;

  static absl::StatusOr<FoldOptions> FromParams(const Params& params);
};

// Half-open ranges of rows.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end > begin ? end - begin : 0; }
  bool operator==(const RowRange&) const = default;
};

// In rows of the common calendar. `train` is one range, cut into several where embargoed rows lie within it.
struct Fold {
  std::vector<RowRange> train;
  RowRange test;
  std::string name;  // "2003-01-02..2003-12-31"
  int64_t train_rows() const;
};

// Folds over the calendar `time_ns`, strictly ascending. The test ranges are consecutive and do not overlap; no training row lies in
// [test.begin - purge, …). A first training range that begins before the data is cut to them, if at least half of it is there. Data too
// short for one fold: cause DATA, with the numbers.
absl::StatusOr<std::vector<Fold>> MakeFolds(const std::vector<int64_t>& time_ns, const FoldOptions& options);

}  // namespace traind::worker::data
