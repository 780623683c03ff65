#include "common/obs/http_server.h"

#include <sys/socket.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "httplib.h"

namespace traind::obs {
namespace {

constexpr size_t kThreads = 2;
constexpr size_t kMaxPayload = 64 * 1024;
constexpr time_t kTimeoutSeconds = 5;
// How long a connection that says nothing may hold one of the threads, and Shutdown.
constexpr time_t kSilenceSeconds = 1;

// Without SO_REUSEPORT, which httplib sets by default: two daemons would share a port in silence.
void ReuseAddressOnly(socket_t socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

}  // namespace

HttpServer::HttpServer() : server_(std::make_unique<httplib::Server>()) {
  server_->new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server_->set_socket_options(ReuseAddressOnly);
  server_->set_payload_max_length(kMaxPayload);
  server_->set_read_timeout(kTimeoutSeconds);
  server_->set_write_timeout(kTimeoutSeconds);
  // One request per connection: an idle scraper would keep a thread from the others.
  server_->set_keep_alive_max_count(1);
  server_->set_keep_alive_timeout(kSilenceSeconds);
}

HttpServer::~HttpServer() { Shutdown(); }

void HttpServer::Get(const std::string& path, Handler handler) {
  server_->Get(path, [handler = std::move(handler)](const httplib::Request&, httplib::Response& response) {
    const HttpAnswer answer = handler();
    response.status = answer.code;
    response.set_content(answer.body, answer.content_type);
  });
}

absl::Status HttpServer::Start(const std::string& host, int port) {
  const int bound = port == 0 ? server_->bind_to_any_port(host) : (server_->bind_to_port(host, port) ? port : -1);
  if (bound <= 0) {
    return absl::UnavailableError(
        absl::StrCat("HTTP cannot listen on ", host, ":", port, "; another process has the port, or set http.address and http.port"));
  }
  address_ = absl::StrCat(host, ":", bound);
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  // stop() does nothing before the listener runs, and its thread would then never end.
  while (!server_->is_running()) std::this_thread::yield();
  return absl::OkStatus();
}

void HttpServer::Shutdown() {
  if (!thread_.joinable()) return;
  server_->stop();
  thread_.join();
}

}  // namespace traind::obs
