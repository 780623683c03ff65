// The pages of the coordinator's HTTP listener. Pure functions of store and supervisor, thread-safe; no page holds more of a job than its
// id, kind and state.
#pragma once

#include <string>

#include "common/obs/http_server.h"
#include "common/obs/metrics.h"
#include "server/store/job_store.h"
#include "server/supervisor/supervisor.h"

namespace traind::server::http {

// /metrics: `metrics` with the counters of this life of the daemon, and what store and supervisor say now.
std::string MetricsPage(const obs::Metrics& metrics, const store::JobStore& store, const supervisor::Supervisor& supervisor);

// /sd: the workers' endpoints as Prometheus http_sd JSON, labelled by job_id, rank and slot.
std::string DiscoveryPage(const supervisor::Supervisor& supervisor);

}  // namespace traind::server::http
