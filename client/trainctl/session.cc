#include "client/trainctl/session.h"

#include <utility>

#include "client/trainctl/exit_codes.h"
#include "common/base/status.h"
#include "common/rpc/default_socket.h"

namespace traind::client::trainctl {

std::string Session::Address() const {
  if (!address.empty()) return address;
  return env.variable("TRAINCTL_ADDRESS").value_or(rpc::DefaultSocket(env.uid, env.variable));
}

absl::StatusOr<Client*> Session::client() {
  if (client_ == nullptr) {
    absl::StatusOr<std::unique_ptr<Client>> connected =
        Client::Connect({.address = Address(), .clock = &env.clock, .interrupt = &env.interrupt, .sleep = env.sleep});
    if (!connected.ok()) return UsageError(connected.status().message());
    client_ = *std::move(connected);
  }
  return client_.get();
}

void AddOutputOption(CLI::App& verb, Session& session, const std::vector<std::string>& formats) {
  verb.add_option("-o,--output", session.output, "How the result is written")->type_name("FORMAT")->check(CLI::IsMember(formats));
}

CLI::Option* AddJobArgument(CLI::App& verb, std::string& job) {
  return verb.add_option(kJobArgument, job, "Name of a job, with or without jobs/")->required()->type_name("");
}

}  // namespace traind::client::trainctl
