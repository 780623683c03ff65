// Who wants to hear of committed changes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <thread>

#include "common/base/mutex.h"
#include "server/store/job_store.h"

namespace traind::server::store {

// Thread-safe. Listeners are called without a lock held.
class Listeners {
 public:
  int64_t Add(JobStore::Listener listener);
  // After it returns, the listener is not running and will not run again. From within the listener itself it returns at once.
  void Remove(int64_t id);
  // One caller at a time.
  void Notify(const StoreChange& change);

 private:
  Mutex mutex_;
  CondVar changed_;
  std::map<int64_t, std::shared_ptr<JobStore::Listener>> listeners_ ABSL_GUARDED_BY(mutex_);
  int64_t next_ ABSL_GUARDED_BY(mutex_) = 1;
  int64_t running_ ABSL_GUARDED_BY(mutex_) = 0;  // 0: none
  std::thread::id runner_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::server::store
