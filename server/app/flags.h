// The command line of traind.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace traind::server::app {

struct Flags {
  std::optional<std::string> config;  // file; without it the defaults
  std::optional<std::string> state;
  std::optional<std::string> socket;
  std::optional<int> http_port;
  std::optional<int> cpu_slots;
  std::vector<std::string> gpu_ids;
  bool print_config = false;
};

// The flags, or, once help, version or an error has been printed, the exit code.
std::variant<Flags, int> ParseFlags(int argc, char** argv);

}  // namespace traind::server::app
