// usage: traind-shim --exit-record FILE --log FOLDER [--max-log-bytes N] [--incarnation N] -- PROGRAM [ARGUMENT…]
#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "common/base/clock.h"
#include "worker/shim/shim.h"

extern char** environ;

namespace {

// False with the usage on stderr when the arguments are not as above.
bool Parse(int argc, char** argv, traind::worker::shim::ShimOptions& options) {
  int i = 1;
  for (; i + 1 < argc && std::string(argv[i]) != "--"; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    bool good = true;
    if (name == "--exit-record") {
      options.exit_record = value;
    } else if (name == "--log") {
      options.log_folder = value;
    } else if (name == "--max-log-bytes") {
      good = absl::SimpleAtoi(value, &options.max_log_bytes) && options.max_log_bytes >= 8;
    } else if (name == "--incarnation") {
      good = absl::SimpleAtoi(value, &options.incarnation);
    } else {
      good = false;
    }
    if (!good) return false;
  }
  if (i < argc && std::string(argv[i]) == "--") options.command.assign(argv + i + 1, argv + argc);
  for (char** entry = environ; *entry != nullptr; ++entry) options.environment.emplace_back(*entry);
  return !options.command.empty() && !options.exit_record.empty() && !options.log_folder.empty();
}

}  // namespace

int main(int argc, char** argv) {
  traind::worker::shim::ShimOptions options;
  if (!Parse(argc, argv, options)) {
    std::fputs("usage: traind-shim --exit-record FILE --log FOLDER [--max-log-bytes N] [--incarnation N] -- PROGRAM [ARGUMENT...]\n",
               stderr);
    return 2;
  }
  const traind::SystemClock clock;
  const absl::Status status = traind::worker::shim::RunShim(options, clock);
  if (status.ok()) return 0;
  std::fprintf(stderr, "traind-shim: %s\n", std::string(status.message()).c_str());
  return 1;
}
