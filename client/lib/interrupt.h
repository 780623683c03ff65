// The user's wish to stop waiting, made known to whatever blocks at the moment.
#pragma once

#include <functional>
#include <list>

#include "absl/time/time.h"
#include "common/base/mutex.h"

namespace traind::client {

// Once triggered it stays so. Thread-safe.
class Interrupt {
 public:
  void Trigger();
  bool triggered() const;

  // Waits; false as soon as the interrupt is triggered.
  bool SleepFor(absl::Duration duration);

  // Runs `cancel` when the interrupt is triggered while the scope lives, or at once if it has been already.
  class Scope {
   public:
    // `cancel` is called with a lock held, on any thread: it must be short and not come back here.
    Scope(Interrupt& interrupt, std::function<void()> cancel);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Interrupt& interrupt_;
    std::list<std::function<void()>>::iterator entry_;
  };

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  bool triggered_ ABSL_GUARDED_BY(mutex_) = false;
  // Called with the lock held: what they cancel may be gone as soon as its scope has left the list.
  std::list<std::function<void()>> cancels_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::client
