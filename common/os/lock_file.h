// One process at a time: an advisory lock on a file, gone with the process however it ends.
#pragma once

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/os/unique_fd.h"

namespace traind::os {

// Held while the object lives.
class LockFile {
 public:
  // Makes the file if need be, locks it and writes our pid into it. FAILED_PRECONDITION naming the holder's pid when it is locked.
  static absl::StatusOr<LockFile> Acquire(const std::string& path);

 private:
  explicit LockFile(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace traind::os
