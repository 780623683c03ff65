// What the services of the API share.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "common/base/clock.h"
#include "common/obs/logger.h"
#include "grpcpp/server_context.h"
#include "server/store/job_store.h"
#include "server/supervisor/supervisor.h"

namespace traind::server::api {

struct ApiSettings {
  std::string version;
  std::string state_folder;
  std::map<std::string, std::string> data_roots;  // name → folder
  int64_t queued_jobs = 10000;
  uint64_t disk_reserve = 64 << 20;
  int streams = 2000;
  int streams_per_user = 1000;
};

// Everything is borrowed and outlives the services.
struct ApiContext {
  store::JobStore& store;
  supervisor::Supervisor& supervisor;
  const Clock& clock;
  obs::Logger& log;
  ApiSettings settings;
  // "uid:1000" of the caller of a method.
  std::function<std::string(const grpc::CallbackServerContext&)> owner_of;
  std::function<std::string()> http_address;

  std::string JobFolder(const JobId& id) const { return settings.state_folder + "/jobs/" + id.value(); }
};

}  // namespace traind::server::api
