// trainctl: the command line of traind.
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "client/trainctl/run.h"
#include "common/base/version.h"
#include "common/os/termination.h"

extern char** environ;

namespace {

constexpr int kUsualColumns = 80;

int TerminalColumns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

std::map<std::string, std::string> Variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::pair<std::string, std::string> variable = absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    variables.insert(variable);
  }
  return variables;
}

}  // namespace

int main(int argc, char** argv) {
  const absl::StatusOr<traind::os::TerminationSignals> signals = traind::os::TerminationSignals::Block();
  if (!signals.ok()) {
    std::cerr << "trainctl: " << std::string(signals.status().message()) << "\n";
    return 1;
  }
  const traind::SystemClock clock;
  traind::client::Interrupt interrupt;
  std::atomic<bool> done = false;
  // The first signal ends what waits, in order; a second one ends at once.
  std::thread watcher([&] {
    while (!done) {
      if (signals->Await(absl::Milliseconds(50)) == 0) continue;
      if (interrupt.triggered()) ::_exit(130);
      interrupt.Trigger();
    }
  });
  const std::map<std::string, std::string> variables = Variables();
  std::error_code ignored;
  const traind::client::trainctl::Environment environment = {
      .in = std::cin,
      .out = std::cout,
      .err = std::cerr,
      .in_is_terminal = ::isatty(STDIN_FILENO) == 1,
      .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
      .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
      .columns = TerminalColumns,
      .variable =
          [&](const char* name) {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
          },
      .uid = ::geteuid(),
      .working_folder = std::filesystem::current_path(ignored).string(),
      .clock = clock,
      .interrupt = interrupt,
      .quit = [] { ::_exit(130); },
      .version = traind::kVersion,
  };
  const int code = traind::client::trainctl::Run(environment, std::vector<std::string>(argv + 1, argv + argc));
  done = true;
  watcher.join();
  return code;
}
