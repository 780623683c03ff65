#include "worker/shim/oom_count.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/os/files.h"

namespace traind::worker::shim {
namespace {

constexpr uint64_t kMaxFile = 1 << 16;

// The number behind "oom_kill " in a control file; 0 if there is none.
int64_t CountIn(const std::string& path) {
  const absl::StatusOr<std::string> text = os::ReadWholeFile(path, kMaxFile);
  if (!text.ok()) return 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    int64_t count = 0;
    if (absl::ConsumePrefix(&line, "oom_kill ") && absl::SimpleAtoi(line, &count)) return count;
  }
  return 0;
}

}  // namespace

int64_t OomKillCount() {
  const absl::StatusOr<std::string> groups = os::ReadWholeFile("/proc/self/cgroup", kMaxFile);
  if (!groups.ok()) return 0;
  for (absl::string_view line : absl::StrSplit(*groups, '\n')) {
    // Version 2 has one line "0::/path"; version 1 a line "<n>:memory:/path" for its memory controller.
    if (absl::ConsumePrefix(&line, "0::")) {
      if (const int64_t count = CountIn(absl::StrCat("/sys/fs/cgroup", line, "/memory.events")); count > 0) return count;
    } else if (const auto at = line.find(":memory:"); at != absl::string_view::npos) {
      return CountIn(absl::StrCat("/sys/fs/cgroup/memory", line.substr(at + 8), "/memory.oom_control"));
    }
  }
  return 0;
}

}  // namespace traind::worker::shim
