#include "common/os/bounded_log.h"

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::os {
namespace {

using testing::StatusCodeIs;
using testing::TempDir;

class BoundedLogTest : public ::testing::Test {
 protected:
  // Everything from `offset` on, chunk by chunk.
  LogChunk ReadAll(int64_t offset) {
    LogChunk all;
    bool first = true;
    for (;;) {
      const auto chunk = ReadBoundedLog(log_, offset, 7);
      EXPECT_OK(chunk);
      if (!chunk.ok()) return all;
      if (std::exchange(first, false)) all = {chunk->offset, "", chunk->dropped_bytes};
      if (chunk->data.empty()) return all;
      all.data += chunk->data;
      offset = chunk->offset + static_cast<int64_t>(chunk->data.size());
    }
  }
  TempDir folder_;
  const std::string log_ = (folder_ / "log").string();
};

TEST_F(BoundedLogTest, ReadsBackWhatWasWritten) {
  EXPECT_EQ(ReadAll(0).data, "");
  ASSERT_OK_AND_ASSIGN(BoundedLogWriter writer, BoundedLogWriter::Open(log_, 1000));
  std::string text;
  for (int i = 0; i < 100; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    ASSERT_OK(writer.Append(line));
    text += line;
  }
  EXPECT_EQ(ReadAll(0).data, text);
  EXPECT_EQ(ReadAll(500).data, text.substr(500));
}

TEST_F(BoundedLogTest, DropsTheOldestAndCountsThem) {
  ASSERT_OK_AND_ASSIGN(BoundedLogWriter writer, BoundedLogWriter::Open(log_, 80));
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_OK(writer.Append("0123456789"));
    text += "0123456789";
    ASSERT_OK_AND_ASSIGN(const LogRange range, BoundedLogRange(log_));
    ASSERT_LE(range.end - range.begin, 80 + 10);
  }
  const LogChunk all = ReadAll(5);
  EXPECT_GT(all.dropped_bytes, 9800);
  EXPECT_EQ(all.offset, 5 + all.dropped_bytes);
  EXPECT_EQ(all.data, text.substr(static_cast<size_t>(all.offset)));
  EXPECT_GE(all.data.size(), 70u);
}

TEST_F(BoundedLogTest, OneHugeWriteKeepsItsEnd) {
  ASSERT_OK_AND_ASSIGN(BoundedLogWriter writer, BoundedLogWriter::Open(log_, 64));
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>('a' + i % 26);
  ASSERT_OK(writer.Append(text));
  const LogChunk all = ReadAll(0);
  EXPECT_TRUE(text.ends_with(all.data));
  EXPECT_GE(all.data.size(), 50u);
}

TEST_F(BoundedLogTest, GoesOnAfterAReopen) {
  {
    ASSERT_OK_AND_ASSIGN(BoundedLogWriter writer, BoundedLogWriter::Open(log_, 1000));
    ASSERT_OK(writer.Append("first"));
  }
  ASSERT_OK_AND_ASSIGN(BoundedLogWriter writer, BoundedLogWriter::Open(log_, 1000));
  ASSERT_OK(writer.Append("second"));
  EXPECT_EQ(ReadAll(0).data, "firstsecond");
}

TEST_F(BoundedLogTest, BeyondTheEndIsAnError) {
  ASSERT_OK_AND_ASSIGN(BoundedLogWriter writer, BoundedLogWriter::Open(log_, 1000));
  ASSERT_OK(writer.Append("abc"));
  EXPECT_OK(ReadBoundedLog(log_, 3, 10));
  EXPECT_THAT(ReadBoundedLog(log_, 4, 10), StatusCodeIs(absl::StatusCode::kOutOfRange));
}

}  // namespace
}  // namespace traind::os
