#include "server/launcher/local_launcher.h"

#include <signal.h>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "common/os/identity.h"
#include "common/os/process.h"
#include "nlohmann/json.hpp"
#include "server/launcher/rank_folder.h"

namespace traind::server::launcher {
namespace {

constexpr uint64_t kMaxExitRecord = 1 << 16;

os::ProcessIdentity ToIdentity(const domain::ProcessId& process) { return {process.boot_id, process.pid, process.start_time_ticks}; }

}  // namespace

absl::StatusOr<domain::ProcessId> LocalLauncher::LaunchRank(const RankLaunch& rank) {
  const std::string folder = RankFolder(rank.job_folder, rank.attempt, rank.rank);
  RETURN_IF_ERROR(os::MakeFolders(folder));
  os::SpawnOptions spawn;
  spawn.command = {options_.programs + "/traind-shim",
                   "--exit-record",
                   folder + "/exit.json",
                   "--log",
                   folder + "/log",
                   "--max-log-bytes",
                   absl::StrCat(options_.max_log_bytes),
                   "--incarnation",
                   absl::StrCat(rank.incarnation.value()),
                   "--",
                   options_.programs + "/traind-worker",
                   "--coordinator",
                   options_.coordinator,
                   "--job",
                   absl::StrCat("jobs/", rank.job.value()),
                   "--attempt",
                   absl::StrCat(rank.attempt.value()),
                   "--rank",
                   absl::StrCat(rank.rank),
                   "--incarnation",
                   absl::StrCat(rank.incarnation.value()),
                   "--job-folder",
                   rank.job_folder,
                   "--heartbeat-seconds",
                   absl::StrCat(absl::ToDoubleSeconds(options_.heartbeat)),
                   "--orphan-after-seconds",
                   absl::StrCat(absl::ToDoubleSeconds(options_.orphan_after))};
  spawn.environment = options_.environment;
  // Always set: without it a worker on a CPU slot would see every GPU.
  spawn.environment.push_back(absl::StrCat("CUDA_VISIBLE_DEVICES=", rank.visible_gpu));
  for (const auto& [name, value] : rank.extra_env) spawn.environment.push_back(absl::StrCat(name, "=", value));
  spawn.folder = folder;
  ASSIGN_OR_RETURN(os::Pidfd shim, os::Spawn(spawn));
  const absl::StatusOr<os::ProcessIdentity> identity = os::ReadIdentity(shim.pid());
  if (!identity.ok()) {
    shim.Signal(SIGKILL).IgnoreError();
    os::Reap(shim).status().IgnoreError();
    return identity.status();
  }
  if (watcher_ != nullptr) watcher_->Watch(std::move(shim));
  return domain::ProcessId{identity->boot_id, identity->pid, identity->start_time_ticks};
}

absl::StatusOr<std::vector<domain::ProcessId>> LocalLauncher::Launch(const std::vector<RankLaunch>& gang) {
  std::vector<domain::ProcessId> started;
  for (const RankLaunch& rank : gang) {
    absl::StatusOr<domain::ProcessId> process = LaunchRank(rank);
    if (process.ok()) {
      started.push_back(*std::move(process));
      continue;
    }
    for (const domain::ProcessId& other : started) Signal(other, SIGKILL).IgnoreError();
    for (const RankLaunch& other : gang) os::RemoveTree(RankFolder(other.job_folder, other.attempt, other.rank)).IgnoreError();
    return Annotate(process.status(), absl::StrCat("starting rank ", rank.rank));
  }
  return started;
}

absl::Status LocalLauncher::Signal(const domain::ProcessId& process, int signal) {
  const os::ProcessIdentity identity = ToIdentity(process);
  if (signal == SIGKILL) return os::SignalGroup(identity, signal);
  const absl::StatusOr<os::Pidfd> shim = os::Pidfd::Open(identity);
  if (absl::IsNotFound(shim.status())) return absl::OkStatus();
  if (!shim.ok()) return shim.status();
  return shim->Signal(signal);
}

bool LocalLauncher::IsAlive(const domain::ProcessId& process) const { return os::IsAlive(ToIdentity(process)); }

absl::StatusOr<std::optional<ExitRecord>> LocalLauncher::ReadExit(const std::string& job_folder, AttemptId attempt, int rank) const {
  const std::string path = RankFolder(job_folder, attempt, rank) + "/exit.json";
  const absl::StatusOr<std::string> text = os::ReadWholeFile(path, kMaxExitRecord);
  if (absl::IsNotFound(text.status())) return std::optional<ExitRecord>();
  if (!text.ok()) return text.status();
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const auto is_int = [&](const char* key) { return json.contains(key) && json[key].is_number_integer(); };
  if (!json.is_object() || !is_int("exit_code") || !is_int("signal"))
    return absl::DataLossError(absl::StrCat(path, " is not an exit record"));
  const bool oom = json.contains("out_of_memory") && json["out_of_memory"] == true;
  return std::optional<ExitRecord>({json["exit_code"].get<int>(), json["signal"].get<int>(), oom});
}

void LocalLauncher::Watch(const domain::ProcessId& process) {
  absl::StatusOr<os::Pidfd> shim = os::Pidfd::Open(ToIdentity(process));
  if (shim.ok() && watcher_ != nullptr) watcher_->Watch(*std::move(shim));
}

}  // namespace traind::server::launcher
