// A machine on which nothing runs: processes live until the test ends them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/launcher/launcher.h"

namespace traind::server::launcher {

// Used from one thread.
class FakeLauncher final : public Launcher {
 public:
  absl::StatusOr<std::vector<domain::ProcessId>> Launch(const std::vector<RankLaunch>& gang) override {
    if (!launch_status.ok()) return launch_status;
    std::vector<domain::ProcessId> shims;
    for (const RankLaunch& rank : gang) {
      launched.push_back(rank);
      shims.push_back({"boot", next_pid_++, 1});
      alive.insert(shims.back().pid);
    }
    return shims;
  }
  absl::Status Signal(const domain::ProcessId& process, int signal) override {
    signals.emplace_back(process.pid, signal);
    if (signal == 9) alive.erase(process.pid);
    return absl::OkStatus();
  }
  bool IsAlive(const domain::ProcessId& process) const override { return alive.contains(process.pid); }
  absl::StatusOr<std::optional<ExitRecord>> ReadExit(const std::string&, AttemptId, int) const override { return exit; }
  void SetExitListener(std::function<void()>) override {}
  void Watch(const domain::ProcessId& process) override { watched.push_back(process.pid); }

  absl::Status launch_status;
  std::vector<RankLaunch> launched;
  std::set<int> alive;
  std::vector<std::pair<int, int>> signals;
  std::optional<ExitRecord> exit;
  std::vector<int> watched;

 private:
  int next_pid_ = 100;
};

}  // namespace traind::server::launcher
