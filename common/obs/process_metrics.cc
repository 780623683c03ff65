#include "common/obs/process_metrics.h"

#include <dirent.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace traind::obs {
namespace {

std::string ReadSmallFile(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Field `number` of /proc/self/stat as proc(5) counts them, from the third on.
std::optional<double> StatField(const std::vector<std::string>& after_name, size_t number) {
  double value = 0;
  if (number < 3 || after_name.size() <= number - 3 || !absl::SimpleAtod(after_name[number - 3], &value)) return std::nullopt;
  return value;
}

std::optional<double> BootTime() {
  for (absl::string_view line : absl::StrSplit(ReadSmallFile("/proc/stat"), '\n')) {
    double seconds = 0;
    if (absl::ConsumePrefix(&line, "btime ") && absl::SimpleAtod(line, &seconds)) return seconds;
  }
  return std::nullopt;
}

std::optional<double> OpenFds() {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return std::nullopt;
  double count = -3;  // ".", ".." and the descriptor of this listing
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

void Append(absl::string_view name, absl::string_view type, absl::string_view help, std::optional<double> value, std::string& text) {
  if (!value.has_value()) return;
  absl::StrAppendFormat(&text, "# HELP %s %s\n# TYPE %s %s\n%s %.17g\n", name, help, name, type, name, *value);
}

}  // namespace

std::string ProcessMetricsText() {
  const std::string stat = ReadSmallFile("/proc/self/stat");
  // The name stands in parentheses and may hold anything, so fields are counted from the last one.
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos) return "";
  const std::vector<std::string> fields = absl::StrSplit(stat.substr(name_end + 2), ' ');
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const std::optional<double> user = StatField(fields, 14), system = StatField(fields, 15), start = StatField(fields, 22),
                              pages = StatField(fields, 24), boot = BootTime();
  std::string text;
  if (user && system) {
    Append("process_cpu_seconds_total", "counter", "CPU time of the process.", (*user + *system) / ticks, text);
  }
  if (pages) Append("process_resident_memory_bytes", "gauge", "Resident memory of the process.", *pages * page, text);
  Append("process_virtual_memory_bytes", "gauge", "Virtual memory of the process.", StatField(fields, 23), text);
  Append("process_open_fds", "gauge", "Open file descriptors of the process.", OpenFds(), text);
  Append("process_max_fds", "gauge", "Most file descriptors the process may open.", static_cast<double>(sysconf(_SC_OPEN_MAX)), text);
  if (start && boot) {
    Append("process_start_time_seconds", "gauge", "Start of the process in seconds since the epoch.", *boot + *start / ticks, text);
  }
  return text;
}

}  // namespace traind::obs
