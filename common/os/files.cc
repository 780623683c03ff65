// WriteFileDurably, the protocol:
//   1. write path.tmp-<random> in the target's folder   crash: a stray temporary file, the old file stands
//   2. fsync it                                          crash: as 1
//   3. rename it over the target                         crash: old or new file, each whole: rename is atomic
//   4. fsync the folder                                  crash before: the rename may be undone, the old file stands
// A reader therefore sees the old or the new content. After an error of step 2 the pages may be lost although a later fsync would succeed,
// so the file is removed and the error is final.
#include "common/os/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "common/os/random.h"

namespace traind::os {
namespace {

constexpr size_t kChunk = 1 << 16;

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string TemporaryName(const std::string& path) { return absl::StrFormat("%s.tmp-%016x", path, Random64()); }

absl::Status WriteAll(int fd, absl::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, absl::StrCat("writing ", path));
    content.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

// Feeds a file in chunks to `consume`.
template <typename Consume>
absl::Status ReadChunks(const std::string& path, Consume consume) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, absl::StrCat("opening ", path));
  std::string chunk(kChunk, '\0');
  for (;;) {
    const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus(errno, absl::StrCat("reading ", path));
    if (count == 0) return absl::OkStatus();
    RETURN_IF_ERROR(consume(absl::string_view(chunk.data(), static_cast<size_t>(count))));
  }
}

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void Update(absl::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string Hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace

absl::Status ErrnoStatus(int errno_value, absl::string_view doing) {
  const std::string message = absl::StrCat(doing, ": ", std::generic_category().message(errno_value));
  switch (errno_value) {
    case ENOENT:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case ENOSPC:
    case EDQUOT:
      // By its code alone it would pass for want of memory; retries give somebody time to make room.
      return WithCause(absl::ResourceExhaustedError(absl::StrCat(message, "; free some space there")), FailureCause::kCrashed);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    case EINVAL:
      return absl::InvalidArgumentError(message);
    default:
      return absl::InternalError(message);
  }
}

absl::StatusOr<UniqueFd> OpenBeneath(const std::string& root, const std::string& relative) {
  if (relative.find('\0') != std::string::npos) return absl::InvalidArgumentError("the path holds a zero byte");
  const UniqueFd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return ErrnoStatus(errno, absl::StrCat("opening the folder ", root));
  open_how how{};
  // O_NONBLOCK: a FIFO under the root must not block its opener.
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const long fd = syscall(SYS_openat2, folder.get(), relative.c_str(), &how, sizeof(how));
  if (fd < 0) {
    // EXDEV is how the kernel says that the path leaves the root.
    if (errno == EXDEV) return absl::InvalidArgumentError(absl::StrCat(relative, " leads out of ", root));
    return ErrnoStatus(errno, absl::StrCat("opening ", relative, " below ", root));
  }
  UniqueFd file(static_cast<int>(fd));
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0) return ErrnoStatus(errno, absl::StrCat("reading the kind of ", relative));
  if (!S_ISREG(facts.st_mode)) return absl::InvalidArgumentError(absl::StrCat(relative, " below ", root, " is not a regular file"));
  return file;
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, uint64_t max_bytes) {
  std::string content;
  RETURN_IF_ERROR(ReadChunks(path, [&](absl::string_view chunk) -> absl::Status {
    if (content.size() + chunk.size() > max_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(path, " is larger than ", max_bytes, " bytes"));
    }
    content.append(chunk.data(), chunk.size());
    return absl::OkStatus();
  }));
  return content;
}

absl::Status WriteAndSync(const std::string& path, absl::string_view content, uint32_t mode) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd.valid()) return ErrnoStatus(errno, absl::StrCat("creating ", path));
  absl::Status status = WriteAll(fd.get(), content, path);
  if (status.ok() && ::fsync(fd.get()) != 0) status = ErrnoStatus(errno, absl::StrCat("syncing ", path));
  if (!status.ok()) ::unlink(path.c_str());
  return status;
}

absl::Status WriteFileDurably(const std::string& path, absl::string_view content, uint32_t mode) {
  const std::string temporary = TemporaryName(path);
  RETURN_IF_ERROR(WriteAndSync(temporary, content, mode));
  const absl::Status renamed = RenameDurably(temporary, path);
  if (!renamed.ok()) ::unlink(temporary.c_str());
  return renamed;
}

absl::Status SyncFolder(const std::string& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, absl::StrCat("opening the folder ", folder));
  if (::fsync(fd.get()) != 0) return ErrnoStatus(errno, absl::StrCat("syncing the folder ", folder));
  return absl::OkStatus();
}

absl::Status RenameDurably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return ErrnoStatus(errno, absl::StrCat("renaming ", from, " to ", to));
  return SyncFolder(FolderOf(to));
}

absl::Status MakeFolders(const std::string& path, uint32_t mode) {
  // The parent is synced too: what is later synced inside a folder is lost with it if the folder's own name is not on disk.
  if (::mkdir(path.c_str(), mode) == 0) return SyncFolder(FolderOf(path));
  if (errno == ENOENT && path != FolderOf(path)) {
    RETURN_IF_ERROR(MakeFolders(FolderOf(path), mode));
    if (::mkdir(path.c_str(), mode) == 0) return SyncFolder(FolderOf(path));
  }
  if (errno == EEXIST) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode)) return absl::OkStatus();
    return absl::AlreadyExistsError(absl::StrCat(path, " is there but is not a folder"));
  }
  return ErrnoStatus(errno, absl::StrCat("making the folder ", path));
}

absl::Status RemoveTree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) return ErrnoStatus(error.value(), absl::StrCat("removing ", path));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path) {
  std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (folder == nullptr) return ErrnoStatus(errno, absl::StrCat("listing ", path));
  std::vector<std::string> names;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<uint64_t> FreeBytes(const std::string& path) {
  struct statvfs facts {};
  if (::statvfs(path.c_str(), &facts) != 0) return ErrnoStatus(errno, absl::StrCat("reading the free space of ", path));
  return static_cast<uint64_t>(facts.f_bavail) * facts.f_frsize;
}

std::string Sha256Hex(absl::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.Hex();
}

absl::StatusOr<std::string> Sha256HexOfFile(const std::string& path) {
  Sha256 hash;
  RETURN_IF_ERROR(ReadChunks(path, [&](absl::string_view chunk) {
    hash.Update(chunk);
    return absl::OkStatus();
  }));
  return hash.Hex();
}

}  // namespace traind::os
