// Follows processes by descriptor and says when one ends.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "common/base/mutex.h"
#include "common/os/process.h"
#include "common/os/unique_fd.h"

namespace traind::server::launcher {

// Thread-safe. Owns one thread. A process that is our child is reaped when it ends.
class ExitWatcher {
 public:
  // `on_exit` is called on the watcher's thread, without a lock held.
  explicit ExitWatcher(std::function<void()> on_exit);
  ~ExitWatcher();

  void Watch(os::Pidfd process);

 private:
  void Run();

  const std::function<void()> on_exit_;
  os::UniqueFd wake_;  // eventfd: something was added, or the end
  Mutex mutex_;
  std::vector<os::Pidfd> added_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace traind::server::launcher
