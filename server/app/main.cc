// traind: the coordinator. Takes jobs over a unix socket, keeps them, and runs them on this machine.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/version.h"
#include "common/obs/logger.h"
#include "common/os/termination.h"
#include "common/spec/yaml_writer.h"
#include "server/app/daemon.h"
#include "server/app/effective_config.h"
#include "server/app/flags.h"
#include "server/app/sd_notify.h"
#include "server/app/stop_watch.h"

namespace traind::server::app {
namespace {

// For calls at work, after a signal.
constexpr absl::Duration kGrace = absl::Seconds(5);
// For the whole end; the unit's TimeoutStopSec is longer.
constexpr absl::Duration kLongestStop = absl::Seconds(25);

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "traind: %s\n", std::string(status.message()).c_str());
  return 1;
}

os::EnvLookup EnvironmentOf(char** entries) {
  std::map<std::string, std::string> variables;
  for (; *entries != nullptr; ++entries) {
    const std::pair<std::string, std::string> variable = absl::StrSplit(*entries, absl::MaxSplits('=', 1));
    variables.insert(variable);
  }
  return [variables = std::move(variables)](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

Surroundings SurroundingsOf(os::EnvLookup env) {
  std::error_code ignored;
  return {.env = std::move(env),
          .uid = ::geteuid(),
          .cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency())),
          .working_folder = std::filesystem::current_path(ignored).string()};
}

int Serve(const CoreOptions& options, const os::TerminationSignals& signals) {
  const config::v1::DaemonConfig& config = options.config;
  const SystemClock clock;
  obs::Logger log({.level = obs::SeverityFromName(config.logs().level()),
                   .format = config.logs().format() == "json" ? obs::LogFormat::kJson : obs::LogFormat::kText},
                  clock);
  const std::string notify = options.env("NOTIFY_SOCKET").value_or("");
  absl::StatusOr<std::unique_ptr<Daemon>> daemon = Daemon::Start(options, clock, log);
  if (!daemon.ok()) return Fail(daemon.status());
  log.Info("traind serves", {{"version", kVersion},
                             {"socket", config.socket()},
                             {"state", config.state()},
                             {"http", (*daemon)->http_address()},
                             {"cpu_slots", config.slots().cpu()},
                             {"gpu_slots", config.slots().gpu_ids_size()}});
  SdNotify(notify, absl::StrCat("READY=1\nSTATUS=serves on ", config.socket()));
  while (signals.Await(absl::InfiniteDuration()) == 0) {
  }
  SdNotify(notify, "STOPPING=1");
  log.Info("traind stops; workers run on");
  {
    const StopWatch watch(signals, clock, kLongestStop);
    (*daemon)->Stop(kGrace);
    daemon->reset();
  }
  log.Info("traind has stopped");
  return 0;
}

int Run(int argc, char** argv, char** environment) {
  const std::variant<Flags, int> parsed = ParseFlags(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  const Flags& flags = std::get<Flags>(parsed);
  const Surroundings surroundings = SurroundingsOf(EnvironmentOf(environment));
  absl::StatusOr<config::v1::DaemonConfig> config = EffectiveConfig(flags, surroundings);
  if (!config.ok()) return Fail(config.status());
  if (flags.print_config) {
    std::fputs(spec::ToYaml(*config).c_str(), stdout);
    return 0;
  }
  // Before any thread: they inherit the blocked signals.
  const absl::StatusOr<os::TerminationSignals> signals = os::TerminationSignals::Block();
  if (!signals.ok()) return Fail(signals.status());
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Fail(absl::InternalError("reading /proc/self/exe: " + error.message()));
  CoreOptions options;
  options.worker_socket = config->state() + "/worker.sock";
  options.programs = self.parent_path().string();
  options.env = surroundings.env;
  options.config = *std::move(config);
  return Serve(options, *signals);
}

}  // namespace
}  // namespace traind::server::app

int main(int argc, char** argv, char** environment) { return traind::server::app::Run(argc, argv, environment); }
