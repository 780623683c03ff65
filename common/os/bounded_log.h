// The output of one rank on disk, bounded: past `max_bytes` the oldest bytes are dropped. A byte keeps its offset (bytes since the start of
// the output) for ever, so that a reader goes on where it was and learns how much it has missed.
//
// On disk a log is a folder of segments named by the offset of their first byte ("00000000000000065536"). The writer fills one after the
// other and removes the oldest whole one when the sum grows past the bound.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/os/unique_fd.h"

namespace traind::os {

// Thread-compatible. One writer per folder.
class BoundedLogWriter {
 public:
  // Makes the folder and an empty log, or goes on after the last byte of the one that is there. `max_bytes` ≥ 8.
  static absl::StatusOr<BoundedLogWriter> Open(const std::string& folder, int64_t max_bytes);

  // Written bytes are visible to readers at once. An error loses the bytes, not the log: the caller may go on.
  absl::Status Append(absl::string_view bytes);

 private:
  BoundedLogWriter(std::string folder, int64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {}
  absl::Status StartSegment();
  absl::Status DropOldest();

  std::string folder_;
  int64_t max_bytes_;
  int64_t end_ = 0;               // offset after the last byte
  std::deque<int64_t> segments_;  // offsets of their first bytes, oldest first
  UniqueFd current_;
};

struct LogChunk {
  int64_t offset = 0;         // of the first byte of `data`
  std::string data;           // empty at the end of the log
  int64_t dropped_bytes = 0;  // bytes between the offset asked for and `offset` that are gone
};

// Up to `max_bytes` from `offset` on; from the oldest byte kept where `offset` is older. A log that is not there yet is empty.
// OUT_OF_RANGE when `offset` lies beyond the end, INVALID_ARGUMENT when it is negative or `max_bytes` < 1.
absl::StatusOr<LogChunk> ReadBoundedLog(const std::string& folder, int64_t offset, int64_t max_bytes);

// Offsets of the oldest byte kept and of the end.
struct LogRange {
  int64_t begin = 0;
  int64_t end = 0;
};
absl::StatusOr<LogRange> BoundedLogRange(const std::string& folder);

}  // namespace traind::os
