// Market data in memory: bars of instruments, in time order, prices adjusted as the job asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace traind::worker::data {

// Columns of equal length, one row per bar. Times grow strictly.
struct Instrument {
  std::string name;
  std::vector<int64_t> time_ns;  // UTC
  // Without open, high and low in the file these three are empty: fills then happen at closes.
  std::vector<double> open, high, low;
  std::vector<double> close;
  std::vector<double> volume;  // empty without a volume column
  // Bars of one segment follow one another without a gap that the job does not cross; a new one starts at each such gap.
  std::vector<int32_t> segment;
  // Precomputed features, in the order of Dataset::extra_names: [column][row].
  std::vector<std::vector<double>> extra;

  int64_t rows() const { return static_cast<int64_t>(close.size()); }
  bool has_open() const { return !open.empty(); }
};

}  // namespace traind::worker::data
