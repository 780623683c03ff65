// All bars of a job as one tape: the instruments one after the other, each row known by one number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/data/dataset.h"
#include "worker/data/features.h"
#include "worker/data/folds.h"

namespace traind::worker::envs {

// Rows [begin, end) of the tape.
struct TapeInstrument {
  std::string name;
  int64_t begin = 0;
  int64_t end = 0;
  bool has_open = false;
  data::FeatureMatrix features;  // of its rows, not normalised
};

// Immutable after Build.
class MarketTape {
 public:
  // `features`: names for ComputeFeatures.
  static MarketTape Build(const data::Dataset& dataset, const std::vector<std::string>& features);

  const std::vector<TapeInstrument>& instruments() const { return instruments_; }
  int64_t rows() const { return static_cast<int64_t>(close.size()); }
  int64_t feature_width() const { return instruments_.front().features.width(); }

  // Every time stamp of any instrument, ascending: what folds are cut from.
  std::vector<int64_t> Calendar() const;
  // The rows of `instrument` whose times lie in `calendar` rows [range.begin, range.end), as tape rows.
  data::RowRange RowsOf(const TapeInstrument& instrument, const std::vector<int64_t>& calendar, const data::RowRange& range) const;

  // By tape row.
  std::vector<int64_t> time_ns;
  std::vector<double> open, close;   // open is the close where an instrument has none
  std::vector<double> volatility;    // exponential root mean square of returns up to and with the row
  std::vector<int32_t> segment;      // differs across gaps and across instruments
  std::vector<int32_t> since_start;  // rows before this one in its segment

 private:
  std::vector<TapeInstrument> instruments_;
};

}  // namespace traind::worker::envs
