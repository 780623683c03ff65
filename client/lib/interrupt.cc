#include "client/lib/interrupt.h"

#include <utility>

namespace traind::client {

void Interrupt::Trigger() {
  MutexLock lock(mutex_);
  if (std::exchange(triggered_, true)) return;
  for (const std::function<void()>& cancel : cancels_) cancel();
  changed_.NotifyAll();
}

bool Interrupt::triggered() const {
  MutexLock lock(mutex_);
  return triggered_;
}

bool Interrupt::SleepFor(absl::Duration duration) {
  MutexLock lock(mutex_);
  return !changed_.AwaitFor(mutex_, duration, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return triggered_; });
}

Interrupt::Scope::Scope(Interrupt& interrupt, std::function<void()> cancel) : interrupt_(interrupt) {
  MutexLock lock(interrupt_.mutex_);
  if (interrupt_.triggered_) cancel();
  entry_ = interrupt_.cancels_.insert(interrupt_.cancels_.end(), std::move(cancel));
}

Interrupt::Scope::~Scope() {
  MutexLock lock(interrupt_.mutex_);
  interrupt_.cancels_.erase(entry_);
}

}  // namespace traind::client
