// A small HTTP listener for Prometheus and health checks: GET only, few threads, nothing of a request is trusted or kept.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"

namespace httplib {
class Server;
}

namespace traind::obs {

struct HttpAnswer {
  int code = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Thread-safe. Handlers are called from the listener's threads.
class HttpServer {
 public:
  using Handler = std::function<HttpAnswer()>;

  HttpServer();
  ~HttpServer();

  // Before Start.
  void Get(const std::string& path, Handler handler);
  // Binds host:port, port 0 takes a free one, and answers from then on. UNAVAILABLE with the address when it cannot be bound.
  absl::Status Start(const std::string& host, int port);
  // Idempotent; waits for the requests at work.
  void Shutdown();

  // "host:port", after Start.
  const std::string& address() const { return address_; }

 private:
  std::unique_ptr<httplib::Server> server_;
  std::thread thread_;
  std::string address_;
};

}  // namespace traind::obs
