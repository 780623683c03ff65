// Which column of a file is what.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/data/csv_table.h"
#include "worker/data/source_options.h"

namespace traind::worker::data {

// Column indices; -1: not there.
struct ColumnRoles {
  Layout layout = Layout::kSingle;
  int time = -1;
  int instrument = -1;
  int open = -1, high = -1, low = -1, close = -1;
  int adjusted_close = -1;
  int volume = -1;
  std::vector<int> extra;  // precomputed features, in the order asked for
  std::vector<int> wide;   // of a wide file: one close column per instrument
};

// Finds columns by the names the user gave, else by the usual ones, without regard to case. Errors carry cause DATA and list the columns of
// the file: none for the time, none for the close, a name that the user gave but the file has not.
absl::StatusOr<ColumnRoles> FindColumns(const CsvTable& table, const SourceOptions& source, PriceKind price,
                                        const std::vector<std::string>& feature_columns);

}  // namespace traind::worker::data
