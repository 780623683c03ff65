#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/api/api_context.h"
#include "server/api/pull_stream.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

// Files in the job's artifacts folder, by name.
absl::StatusOr<std::vector<v1::Artifact>> ListArtifactFiles(const ApiContext& api, const JobId& job);

// One file in chunks of 1 MiB; the last message carries size and SHA-256 of the whole. A path leads nowhere out of the artifacts folder.
// NOT_FOUND, INVALID_ARGUMENT, OUT_OF_RANGE for an offset beyond the end.
absl::StatusOr<std::unique_ptr<StreamSource<v1::DownloadArtifactResponse>>> DownloadArtifactSource(
    const ApiContext& api, const v1::DownloadArtifactRequest& request);

}  // namespace traind::server::api
