#include "common/base/mutex.h"

#include <thread>

#include "gtest/gtest.h"

namespace traind {
namespace {

TEST(CondVar, AwaitSeesWhatAnotherThreadSets) {
  Mutex mutex;
  CondVar changed;
  bool set = false;
  std::thread setter([&] {
    MutexLock lock(mutex);
    set = true;
    changed.NotifyAll();
  });
  {
    MutexLock lock(mutex);
    changed.Await(mutex, [&] { return set; });
    EXPECT_TRUE(set);
  }
  setter.join();
}

TEST(CondVar, AwaitForGivesUp) {
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  EXPECT_FALSE(never.AwaitFor(mutex, absl::Milliseconds(1), [] { return false; }));
}

TEST(CondVar, AwaitForTakesAnInfiniteTimeout) {
  Mutex mutex;
  CondVar condition;
  MutexLock lock(mutex);
  EXPECT_TRUE(condition.AwaitFor(mutex, absl::InfiniteDuration(), [] { return true; }));
}

}  // namespace
}  // namespace traind
