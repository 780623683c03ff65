#include "worker/data/dataset.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "worker/data/csv_table.h"
#include "worker/data/ingest.h"
#include "worker/data/source_options.h"

namespace traind::worker::data {
namespace {

absl::Status DataError(const std::string& message) { return WithCause(absl::InvalidArgumentError(message), FailureCause::kData); }

template <typename T>
void AppendBytes(const std::vector<T>& values, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// Over names, times and every number that training can see.
std::string Fingerprint(const std::vector<Instrument>& instruments) {
  std::string hashes;
  for (const Instrument& instrument : instruments) {
    std::string bytes = absl::StrCat(instrument.name, "\n", instrument.rows(), "\n");
    AppendBytes(instrument.time_ns, bytes);
    for (const auto* column : {&instrument.open, &instrument.high, &instrument.low, &instrument.close, &instrument.volume}) {
      AppendBytes(*column, bytes);
    }
    for (const std::vector<double>& column : instrument.extra) AppendBytes(column, bytes);
    hashes += os::Sha256Hex(bytes);
  }
  return os::Sha256Hex(hashes);
}

absl::Status CheckInstruments(const Dataset& dataset, const DataOptions& options) {
  std::vector<std::string> names;
  for (size_t i = 0; i < dataset.instruments.size(); ++i) {
    const std::string& name = dataset.instruments[i].name;
    if (i > 0 && name == names.back()) {
      return DataError(
          absl::StrCat("instrument ", name, " comes from two sources (", dataset.report.instruments[i].file,
                       "); leave one out, or rename one: by data.sources[].instrument where the file is about one instrument"));
    }
    names.push_back(name);
    if (dataset.instruments[i].rows() == 0)
      return DataError(absl::StrCat(dataset.report.instruments[i].file, ": no row of ", name, " is left after the checks"));
  }
  for (const std::string& wanted : options.instruments) {
    if (!std::binary_search(names.begin(), names.end(), wanted)) {
      return DataError(absl::StrCat("data.instruments names ", wanted, ", which no source has", names.empty() ? "" : "; they have ",
                                    absl::StrJoin(names, ", ")));
    }
  }
  return names.empty() ? DataError("no instrument is left to train on") : absl::OkStatus();
}

}  // namespace

absl::StatusOr<Dataset> LoadDataset(const Params& params, const OpenFile& open) {
  ASSIGN_OR_RETURN(const DataOptions options, DataOptions::FromParams(params));
  std::vector<IngestedInstrument> ingested;
  for (const SourceOptions& source : options.sources) {
    ASSIGN_OR_RETURN(os::UniqueFd file, open(source.path));
    ASSIGN_OR_RETURN(const CsvTable table, CsvTable::Read(std::move(file), source.path));
    ASSIGN_OR_RETURN(std::vector<IngestedInstrument> instruments, Ingest(table, source, options));
    std::move(instruments.begin(), instruments.end(), std::back_inserter(ingested));
  }
  std::stable_sort(ingested.begin(), ingested.end(), [](const auto& a, const auto& b) { return a.bars.name < b.bars.name; });
  Dataset dataset;
  dataset.extra_names = options.feature_columns;
  for (IngestedInstrument& instrument : ingested) {
    dataset.instruments.push_back(std::move(instrument.bars));
    dataset.report.instruments.push_back(std::move(instrument.report));
  }
  RETURN_IF_ERROR(CheckInstruments(dataset, options));
  dataset.report.fingerprint = Fingerprint(dataset.instruments);
  return dataset;
}

}  // namespace traind::worker::data
