#include "common/os/identity.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status.h"
#include "common/os/files.h"

namespace traind::os {
namespace {

constexpr uint64_t kMaxProcFile = 1 << 16;

// Fields of /proc/<pid>/stat from the third (state) on; the name before them may hold anything.
absl::StatusOr<std::vector<std::string>> StatFields(int pid) {
  const std::string path = absl::StrCat("/proc/", pid, "/stat");
  absl::StatusOr<std::string> stat = ReadWholeFile(path, kMaxProcFile);
  // A process that ends while its file is read gives ESRCH.
  if (!stat.ok()) return absl::NotFoundError(absl::StrCat("there is no process ", pid));
  const size_t name_end = stat->rfind(") ");
  if (name_end == std::string::npos) return absl::NotFoundError(absl::StrCat(path, " has no process name"));
  return std::vector<std::string>(absl::StrSplit(stat->substr(name_end + 2), ' '));
}

}  // namespace

absl::StatusOr<std::string> BootId() {
  ASSIGN_OR_RETURN(const std::string text, ReadWholeFile("/proc/sys/kernel/random/boot_id", kMaxProcFile));
  return std::string(absl::StripAsciiWhitespace(text));
}

absl::StatusOr<ProcessIdentity> ReadIdentity(int pid) {
  constexpr size_t kStartTime = 22 - 3;
  ProcessIdentity identity;
  identity.pid = pid;
  ASSIGN_OR_RETURN(identity.boot_id, BootId());
  ASSIGN_OR_RETURN(const std::vector<std::string> fields, StatFields(pid));
  if (fields.size() <= kStartTime || !absl::SimpleAtoi(fields[kStartTime], &identity.start_time_ticks)) {
    return absl::NotFoundError(absl::StrCat("/proc/", pid, "/stat has no start time"));
  }
  return identity;
}

bool IsAlive(const ProcessIdentity& identity) {
  const absl::StatusOr<ProcessIdentity> now = ReadIdentity(identity.pid);
  if (!now.ok() || *now != identity) return false;
  const absl::StatusOr<std::vector<std::string>> fields = StatFields(identity.pid);
  return fields.ok() && (*fields)[0] != "Z" && (*fields)[0] != "X";
}

}  // namespace traind::os
