// Rows of one file to checked bars of its instruments.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "worker/data/bars.h"
#include "worker/data/csv_table.h"
#include "worker/data/ingest_report.h"
#include "worker/data/layout.h"
#include "worker/data/source_options.h"

namespace traind::worker::data {

struct IngestedInstrument {
  Instrument bars;
  InstrumentReport report;
};

// Applies the policy of every check; what it forbids is an error with cause DATA that names file, row and column and what to change.
// Instruments come in the order in which they appear.
absl::StatusOr<std::vector<IngestedInstrument>> Ingest(const CsvTable& table, const SourceOptions& source, const DataOptions& options);

}  // namespace traind::worker::data
