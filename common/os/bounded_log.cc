#include "common/os/bounded_log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/status.h"
#include "common/os/files.h"

namespace traind::os {
namespace {

// The bound is kept to within one segment.
constexpr int64_t kSegments = 8;

std::string SegmentPath(const std::string& folder, int64_t offset) { return absl::StrFormat("%s/%020d", folder, offset); }

absl::StatusOr<std::vector<int64_t>> Segments(const std::string& folder) {
  std::vector<int64_t> offsets;
  const absl::StatusOr<std::vector<std::string>> names = ListFolder(folder);
  if (absl::IsNotFound(names.status())) return offsets;
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    int64_t offset = 0;
    if (name.size() == 20 && absl::SimpleAtoi(name, &offset)) offsets.push_back(offset);
  }
  return offsets;  // names have a fixed width, so their order is that of the offsets
}

absl::StatusOr<int64_t> SizeOf(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return ErrnoStatus(errno, absl::StrCat("reading the size of ", path));
  return int64_t{facts.st_size};
}

}  // namespace

absl::StatusOr<BoundedLogWriter> BoundedLogWriter::Open(const std::string& folder, int64_t max_bytes) {
  RETURN_IF_ERROR(MakeFolders(folder));
  BoundedLogWriter writer(folder, max_bytes);
  ASSIGN_OR_RETURN(const LogRange range, BoundedLogRange(folder));
  ASSIGN_OR_RETURN(const std::vector<int64_t> segments, Segments(folder));
  writer.end_ = range.end;
  writer.segments_.assign(segments.begin(), segments.end());
  RETURN_IF_ERROR(writer.StartSegment());
  return writer;
}

absl::Status BoundedLogWriter::StartSegment() {
  const std::string path = SegmentPath(folder_, end_);
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
  if (!fd.valid()) return ErrnoStatus(errno, absl::StrCat("making the log segment ", path));
  current_ = std::move(fd);
  if (segments_.empty() || segments_.back() != end_) segments_.push_back(end_);
  return absl::OkStatus();
}

absl::Status BoundedLogWriter::DropOldest() {
  while (segments_.size() > 1 && end_ - segments_.front() > max_bytes_) {
    const std::string path = SegmentPath(folder_, segments_.front());
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return ErrnoStatus(errno, absl::StrCat("dropping the log segment ", path));
    segments_.pop_front();
  }
  return absl::OkStatus();
}

absl::Status BoundedLogWriter::Append(absl::string_view bytes) {
  const int64_t segment_size = std::max<int64_t>(1, max_bytes_ / kSegments);
  while (!bytes.empty()) {
    int64_t room = segment_size - (end_ - segments_.back());
    if (room <= 0) {
      RETURN_IF_ERROR(StartSegment());
      RETURN_IF_ERROR(DropOldest());
      room = segment_size;
    }
    const ssize_t written = ::write(current_.get(), bytes.data(), std::min<size_t>(bytes.size(), static_cast<size_t>(room)));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, absl::StrCat("writing the log in ", folder_));
    end_ += written;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return DropOldest();
}

absl::StatusOr<LogRange> BoundedLogRange(const std::string& folder) {
  for (;;) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> segments, Segments(folder));
    if (segments.empty()) return LogRange{};
    const absl::StatusOr<int64_t> last_size = SizeOf(SegmentPath(folder, segments.back()));
    // Dropped between the listing and the question; the next listing shows what is left.
    if (absl::IsNotFound(last_size.status())) continue;
    if (!last_size.ok()) return last_size.status();
    return LogRange{segments.front(), segments.back() + *last_size};
  }
}

absl::StatusOr<LogChunk> ReadBoundedLog(const std::string& folder, int64_t offset, int64_t max_bytes) {
  if (offset < 0 || max_bytes < 1) return absl::InvalidArgumentError(absl::StrCat("a log has no ", max_bytes, " bytes at offset ", offset));
  // The writer may drop a segment between the listing and the opening; the next listing shows what is left.
  for (;;) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> segments, Segments(folder));
    LogChunk chunk;
    chunk.offset = offset;
    if (segments.empty()) return chunk;
    if (offset < segments.front()) {
      chunk.dropped_bytes = segments.front() - offset;
      chunk.offset = segments.front();
    }
    const auto after = std::upper_bound(segments.begin(), segments.end(), chunk.offset);
    const int64_t segment = *std::prev(after);
    const std::string path = SegmentPath(folder, segment);
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid() && errno == ENOENT) continue;
    if (!fd.valid()) return ErrnoStatus(errno, absl::StrCat("opening the log segment ", path));
    chunk.data.resize(static_cast<size_t>(max_bytes));
    const ssize_t count = ::pread(fd.get(), chunk.data.data(), chunk.data.size(), chunk.offset - segment);
    if (count < 0) return ErrnoStatus(errno, absl::StrCat("reading the log segment ", path));
    chunk.data.resize(static_cast<size_t>(count));
    if (count > 0) return chunk;
    ASSIGN_OR_RETURN(const LogRange range, BoundedLogRange(folder));
    if (chunk.offset > range.end) {
      return absl::OutOfRangeError(absl::StrCat("offset ", offset, " lies beyond the end of the log, ", range.end));
    }
    return chunk;
  }
}

}  // namespace traind::os
