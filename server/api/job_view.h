#pragma once

#include "server/api/api_context.h"
#include "server/domain/job.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

// A job as a client sees it: the stored record with progress, queue position and waiting reason as they are now.
v1::Job JobView(const ApiContext& api, const domain::Job& job);

}  // namespace traind::server::api
