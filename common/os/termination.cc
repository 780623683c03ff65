#include "common/os/termination.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "common/os/files.h"

namespace traind::os {

absl::StatusOr<TerminationSignals> TerminationSignals::Block() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  if (const int error = pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) return ErrnoStatus(error, "blocking SIGTERM and SIGINT");
  // A peer that goes away is an error of write, not the end of the process.
  ::signal(SIGPIPE, SIG_IGN);
  UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) return ErrnoStatus(errno, "making a signal descriptor");
  return TerminationSignals(std::move(fd));
}

int TerminationSignals::Await(absl::Duration timeout) const {
  pollfd entry{fd_.get(), POLLIN, 0};
  const double milliseconds = std::ceil(absl::ToDoubleMilliseconds(timeout));
  if (::poll(&entry, 1, static_cast<int>(std::clamp(milliseconds, 0.0, 1e9))) <= 0) return 0;
  signalfd_siginfo info{};
  return ::read(fd_.get(), &info, sizeof(info)) == sizeof(info) ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace traind::os
