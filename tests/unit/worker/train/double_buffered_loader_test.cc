#include "worker/train/double_buffered_loader.h"

#include <atomic>
#include <optional>

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace traind::worker::train {
namespace {

DoubleBufferedLoader<int>::Fill Fill(int value) {
  return [value](int& slot) {
    slot = value;
    return absl::OkStatus();
  };
}

// The same batches in the same order, whatever works ahead.
TEST(DoubleBufferedLoader, SlotsChangeNoBatch) {
  for (const int ahead : {0, 1, 2}) {
    DoubleBufferedLoader<int> loader(ahead, [] { return 0; });
    loader.Request(Fill(0));
    for (int i = 0; i < 1000; ++i) {
      loader.Request(Fill(i + 1));
      ASSERT_OK_AND_ASSIGN(const int* const batch, loader.Next());
      ASSERT_EQ(*batch, i);
      ASSERT_EQ(loader.pending(), 1);
    }
  }
}

// With a slot ahead a batch is made while another is in use; without one it is made when it is asked for.
TEST(DoubleBufferedLoader, WorksAhead) {
  for (const int ahead : {0, 1}) {
    std::atomic<bool> made = false;
    DoubleBufferedLoader<int> loader(ahead, [] { return 0; });
    loader.Request(Fill(1));
    ASSERT_OK(loader.Next());
    loader.Request([&](int&) {
      made = true;
      made.notify_all();
      return absl::OkStatus();
    });
    if (ahead > 0) made.wait(false);
    EXPECT_EQ(made, ahead > 0);
    ASSERT_OK(loader.Next());
    EXPECT_TRUE(made);
  }
}

// The batch in use is never filled: two slots ahead, three requests, and the third waits for a slot.
TEST(DoubleBufferedLoader, LeavesTheBatchInUseAlone) {
  DoubleBufferedLoader<int> loader(1, [] { return 0; });
  loader.Request(Fill(1));
  ASSERT_OK_AND_ASSIGN(const int* const batch, loader.Next());
  for (int i = 2; i < 10; ++i) loader.Request(Fill(i));
  ASSERT_OK_AND_ASSIGN(const int* const next, loader.Next());
  EXPECT_EQ(*next, 2);
  EXPECT_NE(batch, next);
}

TEST(DoubleBufferedLoader, AnErrorSurfacesAtItsBatch) {
  for (const int ahead : {0, 1}) {
    DoubleBufferedLoader<int> loader(ahead, [] { return 0; });
    loader.Request(Fill(1));
    loader.Request([](int&) { return absl::DataLossError("row 7"); });
    loader.Request(Fill(3));
    EXPECT_OK(loader.Next());
    EXPECT_THAT(loader.Next().status(), testing::StatusCodeIs(absl::StatusCode::kDataLoss));
    ASSERT_OK_AND_ASSIGN(const int* const batch, loader.Next());
    EXPECT_EQ(*batch, 3);
  }
}

TEST(DoubleBufferedLoader, EndsWithRequestsLeft) {
  auto loader = std::make_optional<DoubleBufferedLoader<int>>(2, [] { return 0; });
  for (int i = 0; i < 100; ++i) loader->Request(Fill(i));
  loader.reset();
}

}  // namespace
}  // namespace traind::worker::train
