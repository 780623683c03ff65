// The metric history of one attempt: a file with one JSON line per row, only ever appended to, so that a reader follows it by its offset.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/os/unique_fd.h"

namespace traind::obs {

struct HistoryRow {
  int64_t step = 0;
  int fold = 0;
  absl::Time time;
  std::map<std::string, double> values;
};

// Thread-safe: a row is one write call. Values that are not finite are left out, JSON has no word for them.
class MetricHistoryWriter {
 public:
  // Makes the file if it is not there and appends to it.
  static absl::StatusOr<MetricHistoryWriter> Open(const std::string& path);
  absl::Status Append(const HistoryRow& row);

 private:
  MetricHistoryWriter(std::string path, os::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  os::UniqueFd fd_;
};

struct HistoryChunk {
  std::vector<HistoryRow> rows;
  int64_t next_offset = 0;  // where the next read goes on
};

// Whole rows from `offset` on, at most `max_bytes` > 0 of them. A file that is not there yet is empty. A row that cannot be read, or is
// longer than `max_bytes`, is skipped: the file may have been cut by a full disk.
absl::StatusOr<HistoryChunk> ReadMetricHistory(const std::string& path, int64_t offset, int64_t max_bytes);

}  // namespace traind::obs
