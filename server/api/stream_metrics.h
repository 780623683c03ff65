#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "server/api/api_context.h"
#include "server/api/pull_stream.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

// The metric history of a job over all its attempts, several rows a message; with `follow` until the job has ended. NOT_FOUND,
// INVALID_ARGUMENT.
absl::StatusOr<std::unique_ptr<StreamSource<v1::StreamMetricsResponse>>> StreamMetricsSource(const ApiContext& api,
                                                                                             const v1::StreamMetricsRequest& request);

}  // namespace traind::server::api
