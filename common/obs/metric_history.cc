#include "common/obs/metric_history.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/os/files.h"
#include "nlohmann/json.hpp"

namespace traind::obs {
namespace {

std::string ToLine(const HistoryRow& row) {
  nlohmann::ordered_json json = {{"step", row.step}, {"fold", row.fold}, {"time_ms", absl::ToUnixMillis(row.time)}};
  auto& values = json["values"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : row.values) {
    if (std::isfinite(value)) values[name] = value;
  }
  return json.dump() + "\n";
}

// False if the line is not a row.
bool FromLine(absl::string_view line, HistoryRow& row) {
  const auto json = nlohmann::json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return false;
  const auto step = json.find("step"), fold = json.find("fold"), time = json.find("time_ms"), values = json.find("values");
  if (step == json.end() || !step->is_number_integer() || fold == json.end() || !fold->is_number_integer()) return false;
  if (time == json.end() || !time->is_number_integer() || values == json.end() || !values->is_object()) return false;
  row.step = *step;
  row.fold = *fold;
  row.time = absl::FromUnixMillis(*time);
  for (const auto& [name, value] : values->items()) {
    if (value.is_number()) row.values[name] = value;
  }
  return true;
}

}  // namespace

absl::StatusOr<MetricHistoryWriter> MetricHistoryWriter::Open(const std::string& path) {
  os::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640));
  if (!fd.valid()) return os::ErrnoStatus(errno, absl::StrCat("opening the metric history ", path));
  return MetricHistoryWriter(path, std::move(fd));
}

absl::Status MetricHistoryWriter::Append(const HistoryRow& row) {
  const std::string line = ToLine(row);
  const ssize_t written = ::write(fd_.get(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) return os::ErrnoStatus(written < 0 ? errno : ENOSPC, absl::StrCat("writing ", path_));
  return absl::OkStatus();
}

absl::StatusOr<HistoryChunk> ReadMetricHistory(const std::string& path, int64_t offset, int64_t max_bytes) {
  HistoryChunk chunk;
  chunk.next_offset = offset;
  const os::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    if (errno == ENOENT) return chunk;
    return os::ErrnoStatus(errno, absl::StrCat("opening the metric history ", path));
  }
  std::string bytes(static_cast<size_t>(max_bytes), '\0');
  const ssize_t count = ::pread(fd.get(), bytes.data(), bytes.size(), offset);
  if (count < 0) return os::ErrnoStatus(errno, absl::StrCat("reading ", path));
  bytes.resize(static_cast<size_t>(count));
  size_t begin = 0;
  for (size_t end; (end = bytes.find('\n', begin)) != std::string::npos; begin = end + 1) {
    HistoryRow row;
    if (FromLine(absl::string_view(bytes).substr(begin, end - begin), row)) chunk.rows.push_back(std::move(row));
  }
  // Bytes without an end of line that fill the whole chunk are no row: passed over, or the reader would stand before them for ever.
  if (begin == 0 && count == max_bytes) begin = bytes.size();
  chunk.next_offset = offset + static_cast<int64_t>(begin);
  return chunk;
}

}  // namespace traind::obs
