// All instruments of a job.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/params.h"
#include "worker/data/bars.h"
#include "worker/data/ingest_report.h"
#include "worker/data/open_file.h"

namespace traind::worker::data {

struct Dataset {
  std::vector<Instrument> instruments;   // sorted by name
  std::vector<std::string> extra_names;  // of Instrument::extra
  IngestReport report;                   // without features and folds
};

// Reads and checks every source of data.*. Errors carry cause DATA (or are field errors of the job).
absl::StatusOr<Dataset> LoadDataset(const Params& params, const OpenFile& open);

}  // namespace traind::worker::data
