#include "server/launcher/exit_watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace traind::server::launcher {

ExitWatcher::ExitWatcher(std::function<void()> on_exit) : on_exit_(std::move(on_exit)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { Run(); });
}

ExitWatcher::~ExitWatcher() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
  thread_.join();
}

void ExitWatcher::Watch(os::Pidfd process) {
  {
    MutexLock lock(mutex_);
    added_.push_back(std::move(process));
  }
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
}

void ExitWatcher::Run() {
  std::vector<os::Pidfd> watched;
  for (;;) {
    {
      MutexLock lock(mutex_);
      if (stopping_) return;
      for (os::Pidfd& process : added_) watched.push_back(std::move(process));
      added_.clear();
    }
    std::vector<pollfd> entries = {{wake_.get(), POLLIN, 0}};
    for (const os::Pidfd& process : watched) entries.push_back({process.fd(), POLLIN, 0});
    if (::poll(entries.data(), entries.size(), -1) < 0) continue;
    uint64_t count = 0;
    if (entries[0].revents != 0) [[maybe_unused]]
      const ssize_t got = ::read(wake_.get(), &count, sizeof(count));
    bool any = false;
    for (size_t i = watched.size(); i-- > 0;) {
      if (entries[i + 1].revents == 0) continue;
      // Fails for a process of an earlier life of the daemon, which is nobody's child of ours.
      os::Reap(watched[i]).status().IgnoreError();
      watched.erase(watched.begin() + static_cast<ptrdiff_t>(i));
      any = true;
    }
    if (any) on_exit_();
  }
}

}  // namespace traind::server::launcher
