// What a job says about its data, read from its parameters.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/params.h"
#include "worker/data/time_column.h"

namespace traind::worker::data {

enum class Layout { kAuto, kSingle, kLong, kWide };
enum class Policy { kError, kDrop, kMark, kSort, kSplit };
enum class PriceKind { kAuto, kAdjusted, kRaw };

// Names that the user gave; empty ones are looked for.
struct ColumnNames {
  std::string time, instrument, open, high, low, close, adjusted_close, volume;
};

struct SourceOptions {
  std::string field;  // "data.sources[0]"
  std::string path;   // root:path
  Layout layout = Layout::kAuto;
  std::string instrument;
  DateFormat date_format = DateFormat::kAuto;
  absl::TimeZone zone = absl::UTCTimeZone();
  ColumnNames columns;
};

struct IngestPolicy {
  Policy duplicate = Policy::kError;
  Policy unsorted = Policy::kError;
  Policy ohlc = Policy::kMark;
  Policy zero_volume = Policy::kMark;
  Policy missing = Policy::kError;
  Policy gap = Policy::kMark;
  double max_gap = 5;  // in usual steps
};

struct DataOptions {
  std::vector<SourceOptions> sources;
  std::vector<std::string> instruments;  // empty: all
  PriceKind price = PriceKind::kAuto;
  std::vector<std::string> feature_columns;
  IngestPolicy policy;

  // Reads data.* but for window and features. INVALID_ARGUMENT with field errors: a zone that does not exist.
  static absl::StatusOr<DataOptions> FromParams(const Params& params);
};

}  // namespace traind::worker::data
