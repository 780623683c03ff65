// Channels of clients.
#pragma once

#include <memory>
#include <string>

#include "grpcpp/channel.h"

namespace traind::rpc {

// To a unix socket, given as its path or as "unix:/path". Connects when first used. Keepalive every 30 s, so that a daemon that went away
// without a word is noticed.
std::shared_ptr<grpc::Channel> UnixChannel(const std::string& path);

}  // namespace traind::rpc
