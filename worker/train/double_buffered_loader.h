// Batches made ahead of their use on a thread of their own. What a batch holds is settled when it is requested; how many slots work ahead
// changes when it is made, never what is in it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"

namespace traind::worker::train {

// Requests and Next come from one thread.
template <typename T>
class DoubleBufferedLoader {
 public:
  // Fills a batch in place. Runs on the loader's thread, or within Next() with no slot ahead, in the order of requests.
  using Fill = std::function<absl::Status(T&)>;

  // `ahead` ≥ 0 slots are filled while another is in use; `make` makes a slot.
  DoubleBufferedLoader(int ahead, const std::function<T()>& make) : ahead_(ahead) {
    for (int i = 0; i <= ahead; ++i) {
      slots_.push_back(make());
      free_.push_back(static_cast<size_t>(i));
    }
    if (ahead > 0) thread_ = std::thread([this] { Run(); });
  }
  // Waits for the batch being filled; requests not begun are dropped.
  ~DoubleBufferedLoader() {
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
    }
    changed_.NotifyAll();
    if (thread_.joinable()) thread_.join();
  }
  DoubleBufferedLoader(const DoubleBufferedLoader&) = delete;
  DoubleBufferedLoader& operator=(const DoubleBufferedLoader&) = delete;

  void Request(Fill fill) {
    {
      const MutexLock lock(mutex_);
      requests_.push_back(std::move(fill));
    }
    ++pending_;
    changed_.NotifyAll();
  }
  // Requests whose batch Next() has not returned yet.
  int64_t pending() const { return pending_; }

  // The batch of the oldest request, valid until the next call; the error of its fill. At least one request is pending.
  absl::StatusOr<T*> Next() {
    --pending_;
    Done done;
    {
      const MutexLock lock(mutex_);
      if (in_use_) free_.push_back(*in_use_);
      in_use_.reset();
    }
    if (ahead_ == 0) {
      done = FillOldest();
    } else {
      changed_.NotifyAll();
      const MutexLock lock(mutex_);
      if (!ready_.empty()) ++ready_when_asked_;
      changed_.Await(mutex_, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return !ready_.empty(); });
      done = std::move(ready_.front());
      ready_.pop_front();
    }
    const MutexLock lock(mutex_);
    in_use_ = done.slot;
    if (!done.status.ok()) return done.status;
    return &slots_[done.slot];
  }

  // Batches that were complete when Next() asked for them.
  int64_t ready_when_asked() const {
    const MutexLock lock(mutex_);
    return ready_when_asked_;
  }

 private:
  struct Done {
    size_t slot = 0;
    absl::Status status;
  };

  Done FillOldest() {
    Fill fill;
    Done done;
    {
      const MutexLock lock(mutex_);
      fill = std::move(requests_.front());
      requests_.pop_front();
      done.slot = free_.front();
      free_.pop_front();
    }
    done.status = fill(slots_[done.slot]);
    return done;
  }

  void Run() {
    while (true) {
      {
        const MutexLock lock(mutex_);
        changed_.Await(mutex_, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return stopping_ || (!requests_.empty() && !free_.empty()); });
        if (stopping_) return;
      }
      Done done = FillOldest();
      {
        const MutexLock lock(mutex_);
        ready_.push_back(std::move(done));
      }
      changed_.NotifyAll();
    }
  }

  const int ahead_;
  // A slot belongs to whoever took its index out of free_.
  std::vector<T> slots_;
  int64_t pending_ = 0;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Fill> requests_ ABSL_GUARDED_BY(mutex_);
  std::deque<size_t> free_ ABSL_GUARDED_BY(mutex_);
  std::deque<Done> ready_ ABSL_GUARDED_BY(mutex_);
  std::optional<size_t> in_use_ ABSL_GUARDED_BY(mutex_);
  int64_t ready_when_asked_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace traind::worker::train
