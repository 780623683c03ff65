#include "client/lib/client.h"

#include <sys/un.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/lib/transport.h"
#include "common/base/status.h"
#include "common/rpc/channel.h"

namespace traind::client {
namespace {

constexpr size_t kLongestSocketPath = sizeof(sockaddr_un::sun_path) - 1;

absl::Status CheckSocketPath(absl::string_view path) {
  if (path.empty()) return absl::InvalidArgumentError("the address of traind is empty; it is the path of its socket");
  if (absl::StrContains(path, ":")) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is not the path of a socket; traind listens on a unix socket such as /run/traind/traind.sock"));
  }
  if (path.size() > kLongestSocketPath) {
    return absl::InvalidArgumentError(
        absl::StrCat("the socket path ", path, " is too long: ", path.size(), " bytes, at most ", kLongestSocketPath));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(ClientOptions options) {
  const std::string path(absl::StripPrefix(options.address, "unix:"));
  RETURN_IF_ERROR(CheckSocketPath(path));
  if (!options.sleep) options.sleep = [interrupt = options.interrupt](absl::Duration duration) { return interrupt->SleepFor(duration); };
  return std::unique_ptr<Client>(
      new Client(std::make_unique<Transport>(path, rpc::UnixChannel(path), *options.clock, *options.interrupt, std::move(options.sleep))));
}

Client::Client(std::unique_ptr<Transport> transport) : transport_(std::move(transport)), jobs_(*transport_), cluster_(*transport_) {}
Client::~Client() = default;

const std::string& Client::address() const { return transport_->address(); }

}  // namespace traind::client
