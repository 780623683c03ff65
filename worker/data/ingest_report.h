// What was found while reading: the artifact ingest.json, and the answer of `trainctl validate --data`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace traind::worker::data {

struct InstrumentReport {
  std::string instrument;
  std::string file;
  int64_t rows_read = 0;
  int64_t rows_kept = 0;
  int64_t first_ns = 0, last_ns = 0;  // of the rows kept
  int64_t usual_step_ns = 0;          // median step
  int64_t gaps = 0;                   // steps longer than max_gap usual steps
  int64_t longest_step_ns = 0;
  int64_t unsorted = 0, duplicates = 0, ohlc_violations = 0, zero_volume = 0, missing = 0;
  bool has_open = false, has_volume = false, adjusted = false;
};

struct IngestReport {
  std::vector<InstrumentReport> instruments;
  std::vector<std::string> features;           // in the order of the observation
  std::vector<std::string> features_left_out;  // the data have no columns for them
  std::string fingerprint;
  int folds = 0;

  std::string ToJson() const;
};

}  // namespace traind::worker::data
