#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "server/api/api_context.h"
#include "server/api/pull_stream.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

// The output of one rank, read from its files at the reader's pace; with `follow` over all attempts until the job has ended and everything
// is sent. The end record comes after the last byte. NOT_FOUND, INVALID_ARGUMENT; OUT_OF_RANGE for a token beyond the end.
absl::StatusOr<std::unique_ptr<StreamSource<v1::StreamLogsResponse>>> StreamLogsSource(const ApiContext& api,
                                                                                       const v1::StreamLogsRequest& request);

}  // namespace traind::server::api
