#include "server/api/download_artifact.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "common/spec/text.h"
#include "server/api/job_proto.h"

namespace traind::server::api {
namespace {

constexpr int64_t kArtifactChunk = 1 << 20;

std::string ArtifactsFolder(const ApiContext& api, const JobId& job) { return absl::StrCat(api.JobFolder(job), "/artifacts"); }

class ArtifactSource final : public StreamSource<v1::DownloadArtifactResponse> {
 public:
  ArtifactSource(os::UniqueFd file, int64_t offset, int64_t size) : file_(std::move(file)), offset_(offset), size_(size) {}

  absl::StatusOr<std::optional<v1::DownloadArtifactResponse>> Next() override {
    if (done_) return std::nullopt;
    v1::DownloadArtifactResponse message;
    std::string& data = *message.mutable_data();
    data.resize(static_cast<size_t>(std::min(kArtifactChunk, size_ - offset_)));
    const ssize_t count = ::pread(file_.get(), data.data(), data.size(), offset_);
    if (count < 0) return os::ErrnoStatus(errno, "reading the artifact");
    if (static_cast<size_t>(count) < data.size()) return absl::AbortedError("the artifact became shorter while it was sent; ask again");
    message.set_offset(offset_);
    offset_ += count;
    message.set_size_bytes(size_);
    if (offset_ < size_) return message;
    // Of the descriptor that was sent, whatever became of the name.
    ASSIGN_OR_RETURN(std::string sha256, os::Sha256HexOfFile(absl::StrCat("/proc/self/fd/", file_.get())));
    message.set_sha256(std::move(sha256));
    message.set_end(true);
    done_ = true;
    return message;
  }
  bool done() const override { return done_; }
  v1::DownloadArtifactResponse Heartbeat() const override { return {}; }
  std::string resume_token() const override { return absl::StrCat(offset_); }

 private:
  const os::UniqueFd file_;
  int64_t offset_;
  const int64_t size_;  // as it was at the start
  bool done_ = false;
};

}  // namespace

absl::StatusOr<std::vector<v1::Artifact>> ListArtifactFiles(const ApiContext& api, const JobId& job) {
  std::vector<v1::Artifact> artifacts;
  const std::string folder = ArtifactsFolder(api, job);
  const absl::StatusOr<std::vector<std::string>> names = os::ListFolder(folder);
  if (absl::IsNotFound(names.status())) return artifacts;
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    struct stat facts {};
    if (!spec::IsValidUtf8(name)) continue;  // no message can name it
    if (::lstat(absl::StrCat(folder, "/", name).c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
    v1::Artifact artifact;
    artifact.set_path(name);
    artifact.set_size_bytes(facts.st_size);
    artifacts.push_back(std::move(artifact));
  }
  return artifacts;
}

absl::StatusOr<std::unique_ptr<StreamSource<v1::DownloadArtifactResponse>>> DownloadArtifactSource(
    const ApiContext& api, const v1::DownloadArtifactRequest& request) {
  ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.parent()));
  RETURN_IF_ERROR(api.store.Get(id).status());
  const std::string folder = ArtifactsFolder(api, id);
  absl::StatusOr<os::UniqueFd> file = os::OpenBeneath(folder, request.path());
  if (absl::IsNotFound(file.status())) {
    return absl::NotFoundError(
        absl::StrCat(request.parent(), " has no artifact ", request.path(), "; trainctl artifact list shows what it has"));
  }
  if (!file.ok()) return file.status();
  struct stat facts {};
  if (::fstat(file->get(), &facts) != 0) return os::ErrnoStatus(errno, "reading the size of the artifact");
  if (request.offset() < 0 || request.offset() > facts.st_size) {
    return absl::OutOfRangeError(absl::StrCat("offset ", request.offset(), " is beyond the artifact's ", facts.st_size, " bytes"));
  }
  return std::make_unique<ArtifactSource>(*std::move(file), request.offset(), facts.st_size);
}

}  // namespace traind::server::api
