// Files whose loss or half-written state would matter, and files that users name. Stateless functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/os/unique_fd.h"

namespace traind::os {

// Opens `relative` for reading below the folder `root` with openat2(RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS): no "..", no absolute
// path and no symbolic link leads out of the root. INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, each with the path in the message.
absl::StatusOr<UniqueFd> OpenBeneath(const std::string& root, const std::string& relative);

// The whole file, at most `max_bytes` (RESOURCE_EXHAUSTED beyond).
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, uint64_t max_bytes);

// Replaces `path` by `content` so that a crash leaves the old or the new file, never a mixture: temporary file in the same folder,
// fsync, rename, fsync of the folder. A failed fsync is final: the temporary file is removed and the error returned.
absl::Status WriteFileDurably(const std::string& path, absl::string_view content, uint32_t mode = 0640);

// Writes a new file and fsyncs it, without renaming: a part of a folder that is renamed as a whole.
absl::Status WriteAndSync(const std::string& path, absl::string_view content, uint32_t mode = 0640);
absl::Status SyncFolder(const std::string& folder);
// Renames within one file system and fsyncs the parent folder of the target. After an error of that fsync the new name stands, but a crash
// may undo it: the caller removes what must not be half there.
absl::Status RenameDurably(const std::string& from, const std::string& to);

// mkdir -p, durably; OK if it is there.
absl::Status MakeFolders(const std::string& path, uint32_t mode = 0750);
absl::Status RemoveTree(const std::string& path);
// Names of the entries, sorted, without "." and "..".
absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path);
absl::StatusOr<uint64_t> FreeBytes(const std::string& path);

// SHA-256 as 64 lower-case hex digits.
std::string Sha256Hex(absl::string_view bytes);
absl::StatusOr<std::string> Sha256HexOfFile(const std::string& path);

// A status for `errno_value` with the matching code (ENOENT: NOT_FOUND, EACCES, EPERM and EROFS: PERMISSION_DENIED, ENOSPC and EDQUOT:
// RESOURCE_EXHAUSTED, EEXIST: ALREADY_EXISTS, EINVAL: INVALID_ARGUMENT, rest: INTERNAL) and the message "doing: strerror".
absl::Status ErrnoStatus(int errno_value, absl::string_view doing);

}  // namespace traind::os
