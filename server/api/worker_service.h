// WorkerService of the private API: one bidirectional stream per worker process, translated to the supervisor's sessions.
#pragma once

#include "server/supervisor/worker_sessions.h"
#include "traind/internal/v1/worker.grpc.pb.h"

namespace traind::server::api {

// Thread-safe.
class WorkerService final : public internal::v1::WorkerService::CallbackService {
 public:
  // `sessions` outlives the service and every stream.
  explicit WorkerService(supervisor::WorkerSessions& sessions) : sessions_(sessions) {}

  grpc::ServerBidiReactor<internal::v1::WorkerMessage, internal::v1::CoordinatorMessage>* Session(
      grpc::CallbackServerContext* context) override;

 private:
  supervisor::WorkerSessions& sessions_;
};

}  // namespace traind::server::api
