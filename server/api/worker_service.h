// WorkerService of the private API: one bidirectional stream per worker process, translated to the supervisor's sessions.
#pragma once

#include <atomic>

#include "server/supervisor/worker_sessions.h"
#include "traind/internal/v1/worker.grpc.pb.h"

namespace traind::server::api {

// Thread-safe. Until Open every session is refused with UNAVAILABLE, and its worker tries again.
class WorkerService final : public internal::v1::WorkerService::CallbackService {
 public:
  // `sessions` outlives the service and every stream.
  explicit WorkerService(supervisor::WorkerSessions& sessions) : sessions_(sessions) {}

  // Once the supervisor knows whom to expect: a worker that it does not know is fenced.
  void Open() { open_ = true; }

  grpc::ServerBidiReactor<internal::v1::WorkerMessage, internal::v1::CoordinatorMessage>* Session(
      grpc::CallbackServerContext* context) override;

 private:
  supervisor::WorkerSessions& sessions_;
  std::atomic<bool> open_{false};
};

}  // namespace traind::server::api
