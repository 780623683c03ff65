// A traind in a temporary folder for as long as a benchmark runs.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/channel.h"
#include "tests/testing/temp_dir.h"

namespace traind::perf {

class Daemon {
 public:
  // Starts build/bin/traind with one CPU slot and waits until it answers.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const std::string& binaries);
  // Cancels what still runs, then stops the daemon.
  ~Daemon();

  int pid() const { return pid_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  // Waits until `job` is RUNNING.
  absl::Status AwaitRunning(const std::string& job);

 private:
  Daemon() = default;
  void CancelAll();

  testing::TempDir folder_;
  int pid_ = 0;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace traind::perf
