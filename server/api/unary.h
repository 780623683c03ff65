// The frame of every handler: refuses endless deadlines, maps the status, finishes the call.
#pragma once

#include "absl/status/status.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "server/api/api_context.h"

namespace traind::server::api {

// OK, or INVALID_ARGUMENT when the caller would wait for more than five minutes. No deadline at all is accepted: tools like grpcurl set
// none, and unary handlers are short.
absl::Status CheckDeadline(const grpc::CallbackServerContext& context);

// The status as it leaves the daemon. A bug of ours (INTERNAL, UNKNOWN) is logged and gets an incident number by which its line is found.
absl::Status Outgoing(const ApiContext& api, const absl::Status& status);

grpc::ServerUnaryReactor* FinishWith(const ApiContext& api, grpc::CallbackServerContext* context, const absl::Status& status);
grpc::ServerUnaryReactor* AnswerUnimplemented(grpc::CallbackServerContext* context, const char* method);

// Runs `handler`, which fills the response, and finishes.
template <typename Handler>
grpc::ServerUnaryReactor* Answer(const ApiContext& api, grpc::CallbackServerContext* context, Handler handler) {
  absl::Status status = CheckDeadline(*context);
  if (status.ok()) status = handler();
  return FinishWith(api, context, status);
}

}  // namespace traind::server::api
