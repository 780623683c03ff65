#include "server/app/flags.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "common/base/version.h"

namespace traind::server::app {
namespace {

constexpr int kUsage = 2;

}  // namespace

std::variant<Flags, int> ParseFlags(int argc, char** argv) {
  Flags flags;
  CLI::App app(
      "Accepts training jobs over a unix socket, queues them, and runs them on this machine. Flags win over the configuration file.");
  app.add_option("--config", flags.config, "Configuration file; without one the defaults hold (--print-config shows them)");
  app.add_option("--state", flags.state, "Folder of the job store, logs, checkpoints and artifacts");
  app.add_option("--socket", flags.socket, "Unix socket of the API");
  app.add_option("--http-port", flags.http_port, "Port for Prometheus; 0 takes a free one and writes it to <state>/http");
  app.add_option("--gpu-ids", flags.gpu_ids, "GPUs to use, by index or UUID, separated by commas")->delimiter(',');
  app.add_option("--slots-cpu", flags.cpu_slots, "CPU slots");
  app.add_flag("--print-config", flags.print_config, "Print the configuration in force and end");
  app.set_version_flag("--version", absl::StrCat("traind ", kVersion));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return flags;
}

}  // namespace traind::server::app
