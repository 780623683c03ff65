// The configuration in force: file, flags over it, and defaults that depend on user and machine.
#pragma once

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "common/os/user_dirs.h"
#include "server/app/flags.h"
#include "traind/config/v1/daemon_config.pb.h"

namespace traind::server::app {

// What of the process and the machine the defaults depend on.
struct Surroundings {
  os::EnvLookup env;
  uid_t uid = 0;
  int cores = 1;
  std::string working_folder;  // relative paths of flags start here
};

// Reads the file of `flags.config`, if any. Every field that has a meaning is set in the result; slots.gpu_ids are what VisibleGpus says.
// INVALID_ARGUMENT with all field errors; NOT_FOUND, PERMISSION_DENIED: the file.
absl::StatusOr<config::v1::DaemonConfig> EffectiveConfig(const Flags& flags, const Surroundings& surroundings);

}  // namespace traind::server::app
