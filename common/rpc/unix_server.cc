#include "common/rpc/unix_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "common/rpc/limits.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/server_builder.h"
#include "grpcpp/server_posix.h"

namespace traind::rpc {
namespace {

void Configure(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kShortestAcceptedPingMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 5);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
}

}  // namespace

absl::StatusOr<std::unique_ptr<UnixServer>> UnixServer::Start(UnixServerOptions options) {
  std::unique_ptr<UnixServer> server(new UnixServer(std::move(options)));
  RETURN_IF_ERROR(server->Listen());
  return server;
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
  thread_ = std::thread([this] { AcceptLoop(); });
  return absl::OkStatus();
}

UnixServer::~UnixServer() { Shutdown(absl::ZeroDuration()); }

void UnixServer::SetServing(bool serving) {
  if (auto* health = server_->GetHealthCheckService()) health->SetServingStatus(serving);
}

void UnixServer::Shutdown(absl::Duration grace) {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
  thread_.join();
  // The file goes first: who connects from now on learns at once that nobody is there.
  ::unlink(options_.path.c_str());
  listener_.Close();
  server_->Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(grace));
}

void UnixServer::AcceptLoop() {
  for (;;) {
    pollfd entries[] = {{listener_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    if (::poll(entries, 2, -1) < 0 && errno != EINTR) return;
    if (entries[1].revents != 0) return;
    if (entries[0].revents == 0) continue;
    os::UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.valid()) {
      // Out of descriptors: those waiting stay in the backlog until some are free; poll would spin meanwhile.
      if (errno == EMFILE || errno == ENFILE) ::poll(entries + 1, 1, 100);
      continue;
    }
    const absl::StatusOr<os::PeerCredentials> peer = os::CredentialsOf(connection.get());
    if (!peer.ok()) continue;
    if (!Allowed(*peer)) {
      if (options_.on_refused) options_.on_refused(*peer);
      continue;
    }
    {
      MutexLock lock(mutex_);
      peers_[connection.get()] = *peer;
    }
    grpc::AddInsecureChannelFromFd(server_.get(), connection.Release());
  }
}

bool UnixServer::Allowed(const os::PeerCredentials& peer) const {
  return peer.uid == 0 || peer.uid == ::getuid() || options_.uids.contains(peer.uid) || options_.gids.contains(peer.gid);
}

std::optional<os::PeerCredentials> UnixServer::PeerOf(const std::string& peer) const {
  absl::string_view text = peer;
  int fd = 0;
  if (!absl::ConsumePrefix(&text, "fd:") || !absl::SimpleAtoi(text, &fd)) return std::nullopt;
  MutexLock lock(mutex_);
  const auto it = peers_.find(fd);
  if (it == peers_.end()) return std::nullopt;
  return it->second;
}

}  // namespace traind::rpc
