#include "worker/data/time_column.h"

#include <array>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "common/base/failure.h"
#include "common/base/status.h"

namespace traind::worker::data {
namespace {

// What fits nanoseconds in 64 bits, with room for a time zone.
constexpr int kFirstYear = 1700, kLastYear = 2260;
constexpr double kLatestNs = 9.18e18;
constexpr char kOutsideYears[] = "is outside the years 1700 to 2260";

struct DateTime {
  std::array<int, 3> date{};  // the three numbers in the order of the file
  bool year_first = false;
  absl::Duration time_of_day;
  std::optional<absl::Duration> offset;  // "Z" or "+02:00", east positive
};

bool TakeNumber(absl::string_view& text, size_t most_digits, int& number, size_t* digits = nullptr) {
  size_t count = 0;
  number = 0;
  while (count < text.size() && count < most_digits && text[count] >= '0' && text[count] <= '9')
    number = number * 10 + (text[count++] - '0');
  text.remove_prefix(count);
  if (digits != nullptr) *digits = count;
  return count > 0;
}

bool TakeChar(absl::string_view& text, absl::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == absl::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// ":ss" and a fraction are optional.
bool TakeTimeOfDay(absl::string_view& text, absl::Duration& time) {
  int hour = 0, minute = 0, second = 0;
  if (!TakeNumber(text, 2, hour) || !TakeChar(text, ":") || !TakeNumber(text, 2, minute)) return false;
  if (TakeChar(text, ":") && !TakeNumber(text, 2, second)) return false;
  absl::Duration fraction;
  if (TakeChar(text, ".,")) {
    int number = 0;
    size_t digits = 0;
    if (!TakeNumber(text, 9, number, &digits)) return false;
    int64_t nanoseconds = number;
    for (; digits < 9; ++digits) nanoseconds *= 10;
    fraction = absl::Nanoseconds(nanoseconds);
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  time = absl::Hours(hour) + absl::Minutes(minute) + absl::Seconds(second) + fraction;
  return true;
}

bool TakeOffset(absl::string_view& text, std::optional<absl::Duration>& offset) {
  if (TakeChar(text, "Z")) {
    offset = absl::ZeroDuration();
    return true;
  }
  const bool west = !text.empty() && text[0] == '-';
  if (!TakeChar(text, "+-")) return true;
  int hours = 0, minutes = 0;
  if (!TakeNumber(text, 2, hours)) return false;
  TakeChar(text, ":");
  if (!text.empty() && !TakeNumber(text, 2, minutes)) return false;
  // The widest in use is +14:00, of the Line Islands.
  if (hours > 14 || minutes > 59) return false;
  offset = (west ? -1 : 1) * (absl::Hours(hours) + absl::Minutes(minutes));
  return true;
}

std::optional<DateTime> Split(absl::string_view text) {
  DateTime result;
  size_t digits = 0;
  if (!TakeNumber(text, 4, result.date[0], &digits)) return std::nullopt;
  result.year_first = digits == 4;
  for (int i = 1; i < 3; ++i) {
    if (!TakeChar(text, "-/.") || !TakeNumber(text, 4, result.date[i], &digits)) return std::nullopt;
  }
  if (!result.year_first && digits != 4) return std::nullopt;
  if (text.empty()) return result;
  if (!TakeChar(text, "T ") || !TakeTimeOfDay(text, result.time_of_day)) return std::nullopt;
  TakeChar(text, " ");
  if (!TakeOffset(text, result.offset) || !text.empty()) return std::nullopt;
  return result;
}

class Parser {
 public:
  Parser(const CsvTable& table, int column, const TimeColumnOptions& options) : table_(table), column_(column), options_(options) {}

  absl::Status BadRow(int64_t row, absl::string_view what) const {
    return WithCause(absl::InvalidArgumentError(absl::StrCat(options_.file, ": row ", CsvTable::FileRow(row), ", column ",
                                                             table_.columns()[static_cast<size_t>(column_)], ": \"",
                                                             table_.Cell(column_, row).substr(0, 40), "\" ", what)),
                     FailureCause::kData);
  }

  absl::StatusOr<DateFormat> FindFormat() const {
    double number = 0;
    if (absl::SimpleAtod(table_.Cell(column_, 0), &number) && number > 1e8) return DateFormat::kEpoch;
    bool day_possible = true, month_possible = true;
    for (int64_t row = 0; row < table_.rows(); ++row) {
      const std::optional<DateTime> parts = Split(table_.Cell(column_, row));
      if (!parts.has_value()) return BadRow(row, "is not a date; use 2010-01-31, 31.01.2010, 1/31/2010 or an epoch number");
      if (parts->year_first) return DateFormat::kIso;
      if (parts->date[0] > 12) month_possible = false;
      if (parts->date[1] > 12) day_possible = false;
    }
    if (day_possible != month_possible) return day_possible ? DateFormat::kDayFirst : DateFormat::kMonthFirst;
    return WithCause(absl::InvalidArgumentError(absl::StrCat(
                         options_.file, ": column ", table_.columns()[static_cast<size_t>(column_)],
                         day_possible ? ": every date could be day-first or month-first" : ": dates are neither day-first nor month-first",
                         "; set ", options_.field, " to day_first or month_first")),
                     FailureCause::kData);
  }

  absl::StatusOr<int64_t> ParseDate(int64_t row, DateFormat format) const {
    const std::optional<DateTime> parts = Split(table_.Cell(column_, row));
    if (!parts.has_value()) return BadRow(row, "is not a date");
    if (parts->year_first != (format == DateFormat::kIso)) return BadRow(row, "has another date format than the rows before");
    const auto [a, b, c] = parts->date;
    const absl::CivilDay day = format == DateFormat::kIso        ? absl::CivilDay(a, b, c)
                               : format == DateFormat::kDayFirst ? absl::CivilDay(c, b, a)
                                                                 : absl::CivilDay(c, a, b);
    const int month = format == DateFormat::kMonthFirst ? a : b;
    const int day_of_month = format == DateFormat::kIso ? c : format == DateFormat::kDayFirst ? a : b;
    // CivilDay carries the 31st of February over into March.
    if (day.month() != month || day.day() != day_of_month) return BadRow(row, "is not a day of the calendar in this date format");
    if (day.year() < kFirstYear || day.year() > kLastYear) return BadRow(row, kOutsideYears);
    const absl::CivilSecond second = absl::CivilSecond(day) + absl::ToInt64Seconds(parts->time_of_day);
    const absl::Duration fraction = parts->time_of_day - absl::Seconds(absl::ToInt64Seconds(parts->time_of_day));
    if (parts->offset.has_value()) return absl::ToUnixNanos(absl::FromCivil(second, absl::UTCTimeZone()) - *parts->offset + fraction);
    const absl::TimeZone::TimeInfo info = options_.zone.At(second);
    if (info.kind == absl::TimeZone::TimeInfo::SKIPPED) return BadRow(row, absl::StrCat("does not exist in ", options_.zone.name()));
    if (info.kind == absl::TimeZone::TimeInfo::REPEATED) return BadRow(row, absl::StrCat("happened twice in ", options_.zone.name()));
    return absl::ToUnixNanos(info.pre + fraction);
  }

  // Nanoseconds per unit, from the size of the number: seconds are 1e9 in our years, milliseconds 1e12, and so on.
  static int64_t EpochUnit(double number) {
    if (number < 1e11) return 1'000'000'000;
    if (number < 1e14) return 1'000'000;
    if (number < 1e17) return 1'000;
    return 1;
  }

  absl::StatusOr<int64_t> ParseEpoch(int64_t row, int64_t& unit) const {
    const absl::string_view cell = table_.Cell(column_, row);
    double number = 0;
    if (!absl::SimpleAtod(cell, &number) || !(number > 0 && number < 9.2e18)) return BadRow(row, "is not an epoch number");
    if (unit == 0) unit = EpochUnit(number);
    if (unit != EpochUnit(number)) return BadRow(row, "is in another unit than the rows before; one file must keep to one unit");
    if (number * static_cast<double>(unit) > kLatestNs) return BadRow(row, kOutsideYears);
    int64_t whole = 0;
    if (absl::SimpleAtoi(cell, &whole)) return whole * unit;
    return static_cast<int64_t>(number * static_cast<double>(unit));
  }

 private:
  const CsvTable& table_;
  const int column_;
  const TimeColumnOptions& options_;
};

}  // namespace

DateFormat DateFormatFromName(absl::string_view name) {
  if (name == "iso") return DateFormat::kIso;
  if (name == "day_first") return DateFormat::kDayFirst;
  if (name == "month_first") return DateFormat::kMonthFirst;
  if (name == "epoch") return DateFormat::kEpoch;
  return DateFormat::kAuto;
}

absl::StatusOr<std::vector<int64_t>> ParseTimeColumn(const CsvTable& table, int column, const TimeColumnOptions& options) {
  const Parser parser(table, column, options);
  DateFormat format = options.format;
  if (format == DateFormat::kAuto) {
    ASSIGN_OR_RETURN(format, parser.FindFormat());
  }
  std::vector<int64_t> times;
  times.reserve(static_cast<size_t>(table.rows()));
  int64_t unit = 0;
  for (int64_t row = 0; row < table.rows(); ++row) {
    ASSIGN_OR_RETURN(const int64_t time, format == DateFormat::kEpoch ? parser.ParseEpoch(row, unit) : parser.ParseDate(row, format));
    times.push_back(time);
  }
  return times;
}

}  // namespace traind::worker::data
