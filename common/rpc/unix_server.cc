#include "common/rpc/unix_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/status.h"
#include "common/os/files.h"
#include "common/rpc/limits.h"
#include "grpc/support/time.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/server_builder.h"
#include "grpcpp/server_posix.h"

namespace traind::rpc {
namespace {

constexpr int kPingStrikes = 5;
// How long the accept loop stands back when there are no descriptors left.
constexpr int kFullPauseMilliseconds = 100;

void Configure(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // A follower's stream may be silent for long; by default gRPC would stop to ping after two pings without data.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kShortestAcceptedPingMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, kPingStrikes);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
}

// Supplementary groups of the process behind a unix socket, as the kernel recorded them when it connected.
std::vector<gid_t> GroupsOf(int connection) {
  std::vector<gid_t> groups(64);
  socklen_t size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  int result = ::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size);
  if (result != 0 && errno == ERANGE) {
    groups.resize(size / sizeof(gid_t));
    result = ::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size);
  }
  groups.resize(result == 0 ? size / sizeof(gid_t) : 0);
  return groups;
}

}  // namespace

absl::StatusOr<std::unique_ptr<UnixServer>> UnixServer::Start(UnixServerOptions options) {
  std::unique_ptr<UnixServer> server(new UnixServer(std::move(options)));
  const absl::Status status = server->Listen();
  if (status.ok()) return server;
  if (server->listener_.valid()) ::unlink(server->options_.path.c_str());
  return status;
}

absl::Status UnixServer::Listen() {
  ASSIGN_OR_RETURN(listener_, os::ListenUnix(options_.path, options_.mode));
  wake_ = os::UniqueFd(::eventfd(0, EFD_CLOEXEC));
  if (!wake_.valid()) return os::ErrnoStatus(errno, "making an event descriptor");
  grpc::EnableDefaultHealthCheckService(true);
  if (options_.reflection) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  Configure(builder);
  for (grpc::Service* service : options_.services) builder.RegisterService(service);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) return absl::InternalError("gRPC could not start its server");
  SetServing(true);
  thread_ = std::thread([this] { AcceptLoop(); });
  return absl::OkStatus();
}

UnixServer::~UnixServer() { Shutdown(absl::ZeroDuration()); }

void UnixServer::SetServing(bool serving) {
  grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService();
  if (health == nullptr) return;
  health->SetServingStatus(serving);
  for (const std::string& name : options_.health_names) health->SetServingStatus(name, serving);
}

void UnixServer::Shutdown(absl::Duration grace) {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
  thread_.join();
  // The file goes first: who connects from now on learns at once that nobody is there.
  ::unlink(options_.path.c_str());
  listener_.Close();
  server_->Shutdown(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(absl::ToInt64Milliseconds(grace), GPR_TIMESPAN)));
}

void UnixServer::AcceptLoop() {
  for (;;) {
    pollfd entries[] = {{listener_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    if (::poll(entries, 2, -1) < 0 && errno != EINTR) return;
    if (entries[1].revents != 0) return;
    if (entries[0].revents != 0) Accept();
  }
}

void UnixServer::Accept() {
  os::UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!connection.valid()) {
    // Out of descriptors: who waits stays in the backlog until some are free; poll would spin meanwhile.
    pollfd wake{wake_.get(), POLLIN, 0};
    if (errno == EMFILE || errno == ENFILE) ::poll(&wake, 1, kFullPauseMilliseconds);
    return;
  }
  const absl::StatusOr<os::PeerCredentials> peer = os::CredentialsOf(connection.get());
  if (!peer.ok()) return;
  if (!Allowed(connection.get(), *peer)) {
    // Closed without an answer: gRPC's parser is kept from who is not allowed.
    if (options_.on_refused) options_.on_refused(*peer);
    return;
  }
  if (options_.peers != nullptr) options_.peers->Set(connection.get(), *peer);
  grpc::AddInsecureChannelFromFd(server_.get(), connection.Release());
}

bool UnixServer::Allowed(int connection, const os::PeerCredentials& peer) const {
  if (peer.uid == 0 || peer.uid == ::geteuid() || options_.uids.contains(peer.uid)) return true;
  if (options_.gids.empty()) return false;
  if (options_.gids.contains(peer.gid)) return true;
  const std::vector<gid_t> groups = GroupsOf(connection);
  return std::any_of(groups.begin(), groups.end(), [this](gid_t group) { return options_.gids.contains(group); });
}

}  // namespace traind::rpc
