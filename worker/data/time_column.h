// Time stamps of a whole column to nanoseconds UTC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "worker/data/csv_table.h"

namespace traind::worker::data {

enum class DateFormat { kAuto, kIso, kDayFirst, kMonthFirst, kEpoch };

// "auto", "iso", "day_first", "month_first", "epoch"; anything else is kAuto.
DateFormat DateFormatFromName(absl::string_view name);

struct TimeColumnOptions {
  DateFormat format = DateFormat::kAuto;
  absl::TimeZone zone = absl::UTCTimeZone();
  std::string field;  // field path of the format, for messages: "data.sources[0].date_format"
  std::string file;
};

// One time per row. kAuto finds the format from the whole column: where day and month could be either in every row, that is an error, since
// a wrong guess would shuffle the data. Errors carry cause DATA and the row: not a time, a local time that its zone does not have or has
// twice, an epoch unit that changes within the file.
absl::StatusOr<std::vector<int64_t>> ParseTimeColumn(const CsvTable& table, int column, const TimeColumnOptions& options);

}  // namespace traind::worker::data
