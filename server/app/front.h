// Everything that listens: the API for clients, the sessions of workers, and HTTP for Prometheus.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/obs/http_server.h"
#include "common/obs/logger.h"
#include "common/obs/metrics.h"
#include "common/rpc/peer_table.h"
#include "common/rpc/unix_server.h"
#include "server/api/api_context.h"
#include "server/api/cluster_service.h"
#include "server/api/job_service.h"
#include "server/api/stream_registry.h"
#include "server/api/unimplemented_services.h"
#include "server/api/worker_service.h"
#include "server/http/job_counters.h"
#include "server/store/job_store.h"
#include "server/supervisor/supervisor.h"
#include "traind/internal/v1/rendezvous.grpc.pb.h"

namespace traind::server::app {

struct FrontOptions {
  std::string socket;         // of the API
  std::string worker_socket;  // of workers; only our own user may connect
  std::set<uid_t> uids;       // who may use the API beside root and ourselves
  std::set<gid_t> gids;
  bool reflection = false;
  std::string http_host;
  int http_port = 0;
  std::string http_file;  // gets the address of the HTTP listener, for as long as it listens
  api::ApiSettings api;
};

// Thread-compatible; its listeners have threads of their own.
class Front {
 public:
  // Listens. All are borrowed and outlive it. UNAVAILABLE: the HTTP port is taken; ALREADY_EXISTS: a socket is; INVALID_ARGUMENT: its path
  // is too long. After an error nothing listens and no file is left.
  static absl::StatusOr<std::unique_ptr<Front>> Start(FrontOptions options, obs::Metrics& metrics, store::JobStore& store,
                                                      supervisor::Supervisor& supervisor, const Clock& clock, obs::Logger& log);
  ~Front();

  // Lets workers in: once the supervisor knows whom to expect, for a worker that it does not know is fenced. Until then they try again.
  void OpenToWorkers() { worker_service_.Open(); }

  // Refuses new work, ends every stream with its resume token, lets calls finish for at most `grace`, then closes all. Idempotent.
  void Stop(absl::Duration grace);

  const std::string& http_address() const { return http_.address(); }

 private:
  Front(FrontOptions options, obs::Metrics& metrics, store::JobStore& store, supervisor::Supervisor& supervisor, const Clock& clock,
        obs::Logger& log);
  absl::Status Listen();
  absl::Status ListenHttp();
  absl::Status ListenApi();
  absl::Status ListenWorkers();

  const FrontOptions options_;
  obs::Metrics& metrics_;
  store::JobStore& store_;
  supervisor::Supervisor& supervisor_;
  obs::Logger& log_;
  std::atomic<bool> serving_{false};

  http::JobCounters counters_;
  obs::HttpServer http_;
  rpc::PeerTable peers_;
  api::ApiContext context_;
  api::StreamRegistry streams_;
  api::JobService job_service_;
  api::ClusterService cluster_service_;
  api::SweepService sweep_service_;
  api::EndpointService endpoint_service_;
  api::WorkerService worker_service_;
  internal::v1::RendezvousService::CallbackService rendezvous_service_;  // every method UNIMPLEMENTED
  // Last, so that they are gone before what they call.
  std::unique_ptr<rpc::UnixServer> api_server_;
  std::unique_ptr<rpc::UnixServer> worker_server_;
};

}  // namespace traind::server::app
