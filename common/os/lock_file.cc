#include "common/os/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/os/files.h"

namespace traind::os {

absl::StatusOr<LockFile> LockFile::Acquire(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!fd.valid()) return ErrnoStatus(errno, absl::StrCat("opening the lock file ", path));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoStatus(errno, absl::StrCat("locking ", path));
    // Empty while the holder is between locking and writing.
    const std::string holder(absl::StripAsciiWhitespace(ReadWholeFile(path, 64).value_or("")));
    return absl::FailedPreconditionError(absl::StrCat(path, " is locked by ", holder.empty() ? "another process" : "process " + holder));
  }
  const std::string pid = absl::StrCat(::getpid(), "\n");
  if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return ErrnoStatus(errno, absl::StrCat("writing ", path));
  }
  return LockFile(std::move(fd));
}

}  // namespace traind::os
