#include "server/api/unary.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/status.h"
#include "common/os/random.h"
#include "common/rpc/limits.h"
#include "common/rpc/status.h"
#include "grpc/support/time.h"

namespace traind::server::api {

absl::Status CheckDeadline(const grpc::CallbackServerContext& context) {
  // By gRPC's own clock, which is the one the deadline is on.
  const gpr_timespec deadline = context.raw_deadline();
  const gpr_timespec longest =
      gpr_time_add(gpr_now(deadline.clock_type), gpr_time_from_seconds(rpc::kLongestDeadlineSeconds, GPR_TIMESPAN));
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0 || gpr_time_cmp(deadline, longest) <= 0) return absl::OkStatus();
  return absl::InvalidArgumentError("the deadline is more than 5 minutes away; calls of this service are short, use a closer one");
}

absl::Status Outgoing(const ApiContext& api, const absl::Status& status) {
  if (status.code() != absl::StatusCode::kInternal && status.code() != absl::StatusCode::kUnknown) return status;
  const std::string incident = absl::StrFormat("%016x", os::Random64());
  api.log.Error("a call failed for a reason that is a bug of traind", {{"incident", incident}, {"error", std::string(status.message())}});
  return Annotate(status, absl::StrCat("incident ", incident, " (the daemon's log has more)"));
}

grpc::ServerUnaryReactor* FinishWith(const ApiContext& api, grpc::CallbackServerContext* context, const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(rpc::ToGrpc(Outgoing(api, status)));
  return reactor;
}

grpc::ServerUnaryReactor* AnswerUnimplemented(grpc::CallbackServerContext* context, const char* method) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(rpc::Unimplemented(method));
  return reactor;
}

}  // namespace traind::server::api
