#include "server/app/front.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "server/http/pages.h"

namespace traind::server::app {
namespace {

constexpr char kPrometheusText[] = "text/plain; version=0.0.4; charset=utf-8";
constexpr absl::Duration kWorkerGrace = absl::Milliseconds(100);

// The socket's own mode lets in whom the allow-list may let in; who is not on it is refused when it connects.
mode_t ModeFor(const FrontOptions& options) { return options.uids.empty() && options.gids.empty() ? 0660 : 0666; }

}  // namespace

absl::StatusOr<std::unique_ptr<Front>> Front::Start(FrontOptions options, obs::Metrics& metrics, store::JobStore& store,
                                                    supervisor::Supervisor& supervisor, const Clock& clock, obs::Logger& log) {
  std::unique_ptr<Front> front(new Front(std::move(options), metrics, store, supervisor, clock, log));
  RETURN_IF_ERROR(front->Listen());
  return front;
}

Front::Front(FrontOptions options, obs::Metrics& metrics, store::JobStore& store, supervisor::Supervisor& supervisor, const Clock& clock,
             obs::Logger& log)
    : options_(std::move(options)),
      metrics_(metrics),
      store_(store),
      supervisor_(supervisor),
      log_(log),
      counters_(metrics, store),
      context_{store,
               supervisor,
               clock,
               log,
               options_.api,
               [this](const grpc::CallbackServerContext& call) {
                 const std::optional<os::PeerCredentials> peer = peers_.Find(call.peer());
                 return peer.has_value() ? absl::StrCat("uid:", peer->uid) : std::string("unknown");
               },
               [this] { return http_.address(); }},
      streams_(options_.api.streams, options_.api.streams_per_user),
      job_service_(context_, streams_),
      cluster_service_(context_),
      worker_service_(supervisor) {}

Front::~Front() { Stop(absl::ZeroDuration()); }

absl::Status Front::Listen() {
  RETURN_IF_ERROR(ListenHttp());
  RETURN_IF_ERROR(ListenWorkers());
  RETURN_IF_ERROR(ListenApi());
  serving_ = true;
  // Only a convenience: on a full disk the daemon must still come up, so that jobs can be deleted.
  const absl::Status told = os::WriteFileDurably(options_.http_file, http_.address() + "\n");
  if (!told.ok()) {
    log_.Warning("the address of the HTTP listener is only in this line",
                 {{"address", http_.address()}, {"why", std::string(told.message())}});
  }
  return absl::OkStatus();
}

absl::Status Front::ListenHttp() {
  http_.Get("/metrics", [this] { return obs::HttpAnswer{200, kPrometheusText, http::MetricsPage(metrics_, store_, supervisor_)}; });
  http_.Get("/sd", [this] { return obs::HttpAnswer{200, "application/json", http::DiscoveryPage(supervisor_)}; });
  http_.Get("/healthz",
            [this] { return serving_ ? obs::HttpAnswer{.body = "ok\n"} : obs::HttpAnswer{.code = 503, .body = "not serving\n"}; });
  return http_.Start(options_.http_host, options_.http_port);
}

absl::Status Front::ListenApi() {
  rpc::UnixServerOptions options;
  options.path = options_.socket;
  options.mode = ModeFor(options_);
  options.uids = options_.uids;
  options.gids = options_.gids;
  options.services = {&job_service_, &cluster_service_, &sweep_service_, &endpoint_service_};
  options.health_names = {v1::JobService::service_full_name(), v1::ClusterService::service_full_name()};
  options.reflection = options_.reflection;
  options.peers = &peers_;
  options.on_refused = [this](const os::PeerCredentials& peer) {
    log_.Warning(
        "a connection was refused: its user is not root, not the daemon's own, and not in access.uids or access.gids",
        {{"uid", static_cast<int64_t>(peer.uid)}, {"gid", static_cast<int64_t>(peer.gid)}, {"pid", static_cast<int64_t>(peer.pid)}});
  };
  ASSIGN_OR_RETURN(api_server_, rpc::UnixServer::Start(std::move(options)));
  return absl::OkStatus();
}

absl::Status Front::ListenWorkers() {
  rpc::UnixServerOptions options;
  options.path = options_.worker_socket;
  options.mode = 0600;
  options.services = {&worker_service_, &rendezvous_service_};
  options.health_names = {internal::v1::WorkerService::service_full_name()};
  ASSIGN_OR_RETURN(worker_server_, rpc::UnixServer::Start(std::move(options)));
  return absl::OkStatus();
}

void Front::Stop(absl::Duration grace) {
  serving_ = false;
  if (api_server_ != nullptr) api_server_->SetServing(false);
  streams_.EndAll();
  if (api_server_ != nullptr) api_server_->Shutdown(grace);
  if (worker_server_ != nullptr) worker_server_->Shutdown(kWorkerGrace);
  if (!http_.address().empty()) ::unlink(options_.http_file.c_str());
  http_.Shutdown();
}

}  // namespace traind::server::app
