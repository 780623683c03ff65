#include "worker/data/folds.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "common/base/failure.h"
#include "common/base/status.h"

namespace traind::worker::data {
namespace {

absl::CivilDay DayOf(int64_t time_ns) { return absl::ToCivilDay(absl::FromUnixNanos(time_ns), absl::UTCTimeZone()); }
int64_t StartOf(absl::CivilDay day) { return absl::ToUnixNanos(absl::FromCivil(day, absl::UTCTimeZone())); }

absl::CivilDay Shift(absl::CivilDay day, const RangeLength& length, int64_t times) {
  switch (length.unit) {
    case RangeLength::Unit::kYears:
      return absl::CivilDay(day.year() + times * length.count, day.month(), day.day());
    case RangeLength::Unit::kMonths: {
      const absl::CivilMonth month = absl::CivilMonth(day) + times * length.count;
      return absl::CivilDay(month.year(), month.month(), day.day());
    }
    default:
      return day + times * length.count;
  }
}

// Row positions, moved by calendar lengths or by bars.
class Calendar {
 public:
  explicit Calendar(const std::vector<int64_t>& time_ns) : time_ns_(time_ns) {}

  int64_t rows() const { return static_cast<int64_t>(time_ns_.size()); }
  int64_t FirstRowAt(absl::CivilDay day) const {
    return std::lower_bound(time_ns_.begin(), time_ns_.end(), StartOf(day)) - time_ns_.begin();
  }
  absl::CivilDay DayAt(int64_t row) const { return DayOf(time_ns_[static_cast<size_t>(row)]); }

 private:
  const std::vector<int64_t>& time_ns_;
};

// Where the test ranges begin: a day of the calendar, or a row where lengths are bars.
struct Anchor {
  absl::CivilDay day;
  int64_t row = 0;
};

class Folder {
 public:
  Folder(const Calendar& calendar, const FoldOptions& options) : calendar_(calendar), options_(options) {}

  Anchor FirstTest() const {
    if (options_.first_test.has_value()) return {*options_.first_test, calendar_.FirstRowAt(*options_.first_test)};
    const absl::CivilDay first_day = calendar_.DayAt(0);
    if (options_.train.unit == RangeLength::Unit::kBars) {
      const int64_t row = options_.train.count + options_.purge;
      return {row < calendar_.rows() ? calendar_.DayAt(row) : first_day, row};
    }
    const absl::CivilDay day = Shift(first_day, options_.train, 1);
    return {day, std::max(calendar_.FirstRowAt(day), options_.purge)};
  }

  RowRange Test(const Anchor& anchor, int64_t index) const {
    if (options_.test.unit == RangeLength::Unit::kBars) {
      const int64_t begin = anchor.row + index * options_.test.count;
      return {std::min(begin, calendar_.rows()), std::min(begin + options_.test.count, calendar_.rows())};
    }
    const int64_t begin = index == 0 ? anchor.row : calendar_.FirstRowAt(Shift(anchor.day, options_.test, index));
    return {begin, calendar_.FirstRowAt(Shift(anchor.day, options_.test, index + 1))};
  }

  RowRange Train(const RowRange& test) const {
    const int64_t end = std::max<int64_t>(0, test.begin - options_.purge);
    if (options_.anchored) return {0, end};
    if (options_.train.unit == RangeLength::Unit::kBars) return {std::max<int64_t>(0, end - options_.train.count), end};
    return {calendar_.FirstRowAt(Shift(calendar_.DayAt(test.begin), options_.train, -1)), end};
  }

  // `train` without the embargoed rows after each earlier test range.
  std::vector<RowRange> WithoutEmbargo(RowRange train, const std::vector<Fold>& earlier) const {
    std::vector<RowRange> parts;
    for (const Fold& fold : earlier) {
      if (options_.embargo == 0) break;
      const RowRange hole = {fold.test.end, fold.test.end + options_.embargo};
      if (hole.end <= train.begin || hole.begin >= train.end) continue;
      if (hole.begin > train.begin) parts.push_back({train.begin, hole.begin});
      train.begin = std::min(hole.end, train.end);
    }
    if (train.size() > 0) parts.push_back(train);
    return parts;
  }

  // A first range that reaches back beyond the data is cut where they begin; with less than half of it there is no fold.
  bool HasEnoughTraining(const RowRange& test) const {
    const int64_t rows = Train(test).size();
    if (rows == 0 || options_.train.unit == RangeLength::Unit::kBars) return rows > 0 && 2 * rows >= options_.train.count;
    const absl::CivilDay end = calendar_.DayAt(test.begin), wanted = Shift(end, options_.train, -1);
    return calendar_.DayAt(0) <= wanted + (end - wanted) / 2;
  }

 private:
  const Calendar& calendar_;
  const FoldOptions& options_;
};

absl::Status TooShort(const Calendar& calendar, const FoldOptions& options, absl::string_view why) {
  return WithCause(
      absl::InvalidArgumentError(absl::StrCat(
          "too few rows for one fold: the data have ", calendar.rows(), " bars from ", absl::FormatCivilTime(calendar.DayAt(0)), " to ",
          absl::FormatCivilTime(calendar.DayAt(calendar.rows() - 1)), ", ", why, " (purge ", options.purge,
          "); shorten walk_forward.train or walk_forward.test, or change walk_forward.first_test")),
      FailureCause::kData);
}

absl::StatusOr<std::optional<absl::CivilDay>> ReadDay(const Params& params, const char* key) {
  ASSIGN_OR_RETURN(const std::string text, params.GetOr<std::string>(key, ""));
  absl::CivilDay day;
  if (text.empty()) return std::optional<absl::CivilDay>();
  if (!absl::ParseCivilTime(text, &day)) return FieldErrorsStatus({{key, absl::StrCat("\"", text, "\" is not a date")}});
  return std::optional<absl::CivilDay>(day);
}

}  // namespace

int64_t Fold::train_rows() const {
  int64_t rows = 0;
  for (const RowRange& range : train) rows += range.size();
  return rows;
}

absl::StatusOr<RangeLength> RangeLength::Parse(absl::string_view text) {
  RangeLength length;
  absl::string_view number = text;
  if (absl::ConsumeSuffix(&number, "mo")) {
    length.unit = Unit::kMonths;
  } else if (absl::ConsumeSuffix(&number, "y")) {
    length.unit = Unit::kYears;
  } else if (absl::ConsumeSuffix(&number, "d")) {
    length.unit = Unit::kDays;
  }
  if (!absl::SimpleAtoi(number, &length.count) || length.count < 1 || length.count > 1'000'000'000) {
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is not a length; use 3y, 6mo, 90d or a number of bars"));
  }
  return length;
}

absl::StatusOr<FoldOptions> FoldOptions::FromParams(const Params& params) {
  FoldOptions options;
  ASSIGN_OR_RETURN(const std::string mode, params.Get<std::string>("walk_forward.mode"));
  options.anchored = mode == "anchored";
  ASSIGN_OR_RETURN(const std::string train, params.Get<std::string>("walk_forward.train"));
  ASSIGN_OR_RETURN(options.train, RangeLength::Parse(train));
  ASSIGN_OR_RETURN(const std::string test, params.Get<std::string>("walk_forward.test"));
  ASSIGN_OR_RETURN(options.test, RangeLength::Parse(test));
  ASSIGN_OR_RETURN(options.first_test, ReadDay(params, "walk_forward.first_test"));
  ASSIGN_OR_RETURN(options.last_test, ReadDay(params, "walk_forward.last_test"));
  ASSIGN_OR_RETURN(options.purge, params.Get<int64_t>("walk_forward.purge"));
  ASSIGN_OR_RETURN(options.embargo, params.Get<int64_t>("walk_forward.embargo"));
  ASSIGN_OR_RETURN(options.max_folds, params.Get<int64_t>("walk_forward.max_folds"));
  return options;
}

absl::StatusOr<std::vector<Fold>> MakeFolds(const std::vector<int64_t>& time_ns, const FoldOptions& options) {
  const Calendar calendar(time_ns);
  const Folder folder(calendar, options);
  const Anchor anchor = folder.FirstTest();
  if (anchor.row >= calendar.rows()) return TooShort(calendar, options, "and the first test range would begin after them");
  if (!folder.HasEnoughTraining(folder.Test(anchor, 0)))
    return TooShort(calendar, options, "which is less than half of the first training range");
  std::vector<Fold> folds;
  for (int64_t i = 0; static_cast<int64_t>(folds.size()) < options.max_folds; ++i) {
    const RowRange test = folder.Test(anchor, i);
    if (test.begin >= calendar.rows()) break;
    if (options.last_test.has_value() && calendar.DayAt(test.begin) > *options.last_test) break;
    // Two bars are the least that a position can earn anything on.
    if (test.size() < 2) continue;
    Fold fold;
    fold.test = test;
    fold.train = folder.WithoutEmbargo(folder.Train(test), folds);
    fold.name = absl::StrCat(absl::FormatCivilTime(calendar.DayAt(test.begin)), "..", absl::FormatCivilTime(calendar.DayAt(test.end - 1)));
    if (fold.train_rows() >= 2) folds.push_back(std::move(fold));
  }
  if (folds.empty()) return TooShort(calendar, options, "which leaves no test range with a training range before it");
  return folds;
}

}  // namespace traind::worker::data
