// Counters of what happened to jobs in this life of the daemon, fed by the store's changes.
#pragma once

#include <cstdint>
#include <map>

#include "common/base/mutex.h"
#include "common/obs/metrics.h"
#include "server/store/job_store.h"

namespace traind::server::http {

// Thread-safe. `metrics` and `store` outlive it.
class JobCounters {
 public:
  JobCounters(obs::Metrics& metrics, store::JobStore& store);
  ~JobCounters();

 private:
  void OnChange(const store::StoreChange& change);

  obs::Metrics& metrics_;
  store::JobStore& store_;
  int64_t listener_ = 0;
  Mutex mutex_;
  // Last state seen of each job that has not ended.
  std::map<JobId, domain::JobState> states_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::server::http
