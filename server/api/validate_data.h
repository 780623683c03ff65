#pragma once

#include "grpcpp/support/server_callback.h"
#include "server/api/api_context.h"
#include "server/api/job_intake.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

// Has the supervisor run the data checks of `spec` and answers with their report. A call that is cancelled, by its client or by the
// daemon's end, ends at once; the checks then end by themselves. The reactor deletes itself.
grpc::ServerUnaryReactor* StartValidateData(const ApiContext& api, CheckedSpec spec, v1::ValidateDataResponse& response);

}  // namespace traind::server::api
