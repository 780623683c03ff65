// The frame of every unary handler: refuses endless deadlines, maps the status, finishes the call.
#pragma once

#include "absl/status/status.h"
#include "common/rpc/limits.h"
#include "common/rpc/status.h"
#include "grpc/support/time.h"
#include "grpcpp/server_context.h"

namespace traind::server::api {

// OK, or INVALID_ARGUMENT when the caller would wait for more than five minutes. No deadline at all is accepted: tools like grpcurl set
// none, and unary handlers are short.
inline absl::Status CheckDeadline(const grpc::CallbackServerContext& context) {
  // By gRPC's own clock, which is the one the deadline is on.
  const gpr_timespec deadline = context.raw_deadline();
  const gpr_timespec longest = gpr_time_add(gpr_now(deadline.clock_type), gpr_time_from_seconds(rpc::kLongestDeadlineSeconds, GPR_TIMESPAN));
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0 || gpr_time_cmp(deadline, longest) <= 0) return absl::OkStatus();
  return absl::InvalidArgumentError("the deadline is more than 5 minutes away; calls of this service are short, use a closer one");
}

// Runs `handler`, which fills the response, and finishes.
template <typename Handler>
grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, Handler handler) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  absl::Status status = CheckDeadline(*context);
  if (status.ok()) status = handler();
  reactor->Finish(rpc::ToGrpc(status));
  return reactor;
}

inline grpc::ServerUnaryReactor* AnswerUnimplemented(grpc::CallbackServerContext* context, const char* method) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(rpc::Unimplemented(method));
  return reactor;
}

}  // namespace traind::server::api
