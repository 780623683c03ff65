#include "server/app/stop_watch.h"

#include <unistd.h>

namespace traind::server::app {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(50);

void EndNow(absl::string_view why) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, why.data(), why.size());
  ::_exit(1);
}

}  // namespace

StopWatch::StopWatch(const os::TerminationSignals& signals, const Clock& clock, absl::Duration limit)
    : signals_(signals), clock_(clock), end_(clock.Steady() + limit) {
  thread_ = std::thread([this] { Run(); });
}

StopWatch::~StopWatch() {
  done_ = true;
  thread_.join();
}

void StopWatch::Run() {
  while (!done_) {
    if (signals_.Await(kLook) != 0) EndNow("traind: a second signal ends it at once\n");
    if (clock_.Steady() >= end_) EndNow("traind: stopping took too long and is cut short; this is a bug\n");
  }
}

}  // namespace traind::server::app
