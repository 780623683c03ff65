// The project's only mutex: std::mutex with Clang's thread-safety annotations. (ThreadSanitizer reports false races for the
// absl::Mutex of Debian 12.)
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"

namespace traind {

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  // Waits until `condition` holds; it is evaluated with the mutex held.
  template <typename Condition>
  void Await(Mutex& mutex, Condition condition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock, condition);
    lock.release();
  }

  // As Await, for at most `timeout`; false when the condition did not come true.
  template <typename Condition>
  bool AwaitFor(Mutex& mutex, absl::Duration timeout, Condition condition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    // Bounded, so that InfiniteDuration does not overflow the arithmetic of the standard library.
    const auto bounded = absl::ToChronoNanoseconds(std::min(timeout, absl::Hours(24 * 365)));
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool met = condition_.wait_for(lock, bounded, condition);
    lock.release();
    return met;
  }

  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace traind
