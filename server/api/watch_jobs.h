#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "server/api/api_context.h"
#include "server/api/pull_stream.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

// Jobs as they are (or, with a token, what changed since), a message with `synced`, then each change; several changes of one job between
// two reads become one message. Progress counts as a change, at most once a second. INVALID_ARGUMENT: a token that is none; OUT_OF_RANGE:
// one from before the events that are kept; NOT_FOUND.
absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchJobsResponse>>> WatchJobsSource(const ApiContext& api,
                                                                                     const v1::WatchJobsRequest& request);

}  // namespace traind::server::api
