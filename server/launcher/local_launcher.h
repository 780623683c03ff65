// Workers on this machine: a traind-shim for each rank, which starts the traind-worker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "server/launcher/exit_watcher.h"
#include "server/launcher/launcher.h"

namespace traind::server::launcher {

struct LocalLauncherOptions {
  std::string programs;     // folder of traind-shim and traind-worker
  std::string coordinator;  // "unix:/path" of the worker listener
  int64_t max_log_bytes = 64 << 20;
  absl::Duration heartbeat = absl::Seconds(1);
  absl::Duration orphan_after = absl::Minutes(10);
  // "NAME=value" that every worker gets; nothing else of our own environment reaches it.
  std::vector<std::string> environment;
};

// Thread-safe.
class LocalLauncher final : public Launcher {
 public:
  explicit LocalLauncher(LocalLauncherOptions options) : options_(std::move(options)) {}

  absl::StatusOr<std::vector<domain::ProcessId>> Launch(const std::vector<RankLaunch>& gang) override;
  absl::Status Signal(const domain::ProcessId& process, int signal) override;
  bool IsAlive(const domain::ProcessId& process) const override;
  absl::StatusOr<std::optional<ExitRecord>> ReadExit(const std::string& job_folder, AttemptId attempt, int rank) const override;
  void SetExitListener(std::function<void()> on_exit) override { watcher_ = std::make_unique<ExitWatcher>(std::move(on_exit)); }
  void Watch(const domain::ProcessId& process) override;

 private:
  absl::StatusOr<domain::ProcessId> LaunchRank(const RankLaunch& rank);

  const LocalLauncherOptions options_;
  std::unique_ptr<ExitWatcher> watcher_;
};

}  // namespace traind::server::launcher
