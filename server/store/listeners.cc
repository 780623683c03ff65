#include "server/store/listeners.h"

#include <utility>
#include <vector>

namespace traind::server::store {

int64_t Listeners::Add(JobStore::Listener listener) {
  MutexLock lock(mutex_);
  listeners_[next_] = std::make_shared<JobStore::Listener>(std::move(listener));
  return next_++;
}

void Listeners::Remove(int64_t id) {
  MutexLock lock(mutex_);
  listeners_.erase(id);
  if (runner_ == std::this_thread::get_id()) return;
  changed_.Await(mutex_, [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return running_ != id; });
}

void Listeners::Notify(const StoreChange& change) {
  std::vector<int64_t> ids;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, listener] : listeners_) ids.push_back(id);
    runner_ = std::this_thread::get_id();
  }
  for (const int64_t id : ids) {
    std::shared_ptr<JobStore::Listener> listener;
    {
      MutexLock lock(mutex_);
      const auto found = listeners_.find(id);
      if (found == listeners_.end()) continue;
      listener = found->second;
      running_ = id;
    }
    (*listener)(change);
    MutexLock lock(mutex_);
    running_ = 0;
    changed_.NotifyAll();
  }
  MutexLock lock(mutex_);
  runner_ = {};
}

}  // namespace traind::server::store
