#include "server/app/effective_config.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "common/base/status.h"
#include "common/os/files.h"
#include "common/spec/daemon_config.h"
#include "common/spec/validate.h"
#include "server/app/gpu_list.h"

namespace traind::server::app {
namespace {

constexpr uint64_t kMaxFileBytes = 1 << 20;

std::string Absolute(const std::string& path, const Surroundings& surroundings) {
  return (std::filesystem::path(surroundings.working_folder) / path).lexically_normal().string();
}

void ApplyFlags(const Flags& flags, const Surroundings& surroundings, config::v1::DaemonConfig& config) {
  if (flags.state.has_value()) config.set_state(Absolute(*flags.state, surroundings));
  if (flags.socket.has_value()) config.set_socket(Absolute(*flags.socket, surroundings));
  if (flags.http_port.has_value()) config.mutable_http()->set_port(*flags.http_port);
  if (flags.cpu_slots.has_value()) config.mutable_slots()->set_cpu(*flags.cpu_slots);
  if (!flags.gpu_ids.empty()) config.mutable_slots()->mutable_gpu_ids()->Assign(flags.gpu_ids.begin(), flags.gpu_ids.end());
}

void ApplyDefaults(const Surroundings& surroundings, config::v1::DaemonConfig& config) {
  const os::UserDirs dirs = os::DefaultDirs(surroundings.uid, surroundings.env);
  // A socket that would lie in the default state folder lies in the one that is used.
  const bool socket_in_state = dirs.socket == dirs.state + "/traind.sock";
  if (!config.has_state()) config.set_state(dirs.state);
  if (!config.has_socket()) config.set_socket(socket_in_state ? config.state() + "/traind.sock" : dirs.socket);
  if (!config.http().has_port()) config.mutable_http()->set_port(dirs.http_port);
  if (!config.slots().has_cpu()) config.mutable_slots()->set_cpu(std::max(1, surroundings.cores / 2));
}

}  // namespace

absl::StatusOr<config::v1::DaemonConfig> EffectiveConfig(const Flags& flags, const Surroundings& surroundings) {
  std::string text;
  if (flags.config.has_value()) {
    ASSIGN_OR_RETURN(text, os::ReadWholeFile(Absolute(*flags.config, surroundings), kMaxFileBytes));
  }
  ASSIGN_OR_RETURN(config::v1::DaemonConfig config, spec::LoadDaemonConfig(text, flags.config.value_or("the defaults")));
  ApplyFlags(flags, surroundings, config);
  ApplyDefaults(surroundings, config);
  // What came from flags is checked here.
  RETURN_IF_ERROR(FieldErrorsStatus(spec::ValidateConfig(config)));
  const std::vector<std::string> ids(config.slots().gpu_ids().begin(), config.slots().gpu_ids().end());
  ASSIGN_OR_RETURN(const std::vector<std::string> gpus, VisibleGpus(ids, surroundings.env("CUDA_VISIBLE_DEVICES")));
  config.mutable_slots()->mutable_gpu_ids()->Assign(gpus.begin(), gpus.end());
  return config;
}

}  // namespace traind::server::app
