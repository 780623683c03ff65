#include "server/api/validate_data.h"

#include <memory>
#include <string>
#include <utility>

#include "common/base/mutex.h"
#include "common/rpc/status.h"
#include "server/api/unary.h"

namespace traind::server::api {
namespace {

// The report and the cancellation race; the first one finishes the call. Shared by the reactor and the supervisor's callback, which may
// come long after the reactor is gone.
class Ending {
 public:
  Ending(const ApiContext& api, grpc::ServerUnaryReactor& reactor, v1::ValidateDataResponse& response)
      : api_(api), reactor_(&reactor), response_(&response) {}

  void Finish(absl::StatusOr<std::string> report) {
    MutexLock lock(mutex_);
    if (reactor_ == nullptr) return;
    if (report.ok()) response_->set_report_json(*std::move(report));
    // Only queues; the reactor's OnDone comes on another thread.
    std::exchange(reactor_, nullptr)->Finish(rpc::ToGrpc(Outgoing(api_, report.status())));
  }

 private:
  const ApiContext& api_;
  Mutex mutex_;
  grpc::ServerUnaryReactor* reactor_ ABSL_GUARDED_BY(mutex_);  // nullptr once finished
  v1::ValidateDataResponse* const response_;                   // lives as long as the call is not finished
};

class Call final : public grpc::ServerUnaryReactor {
 public:
  Call(const ApiContext& api, v1::ValidateDataResponse& response) : ending_(std::make_shared<Ending>(api, *this, response)) {}
  const std::shared_ptr<Ending>& ending() const { return ending_; }

 private:
  void OnCancel() override { ending_->Finish(absl::CancelledError("the call was cancelled")); }
  void OnDone() override { delete this; }

  const std::shared_ptr<Ending> ending_;
};

}  // namespace

grpc::ServerUnaryReactor* StartValidateData(const ApiContext& api, CheckedSpec spec, v1::ValidateDataResponse& response) {
  auto* call = new Call(api, response);
  api.supervisor.ValidateData(std::move(spec.bytes), std::move(spec.sha256), std::move(spec.user_set_paths),
                              [ending = call->ending()](absl::StatusOr<std::string> report) { ending->Finish(std::move(report)); });
  return call;
}

}  // namespace traind::server::api
