// The real traind-shim with /bin/sh as its worker.
#include <signal.h>
#include <unistd.h>

#include "common/os/bounded_log.h"
#include "common/os/files.h"
#include "common/os/process.h"
#include "nlohmann/json.hpp"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::worker::shim {
namespace {

class ShimTest : public ::testing::Test {
 protected:
  os::Pidfd Start(const std::string& script, const std::string& max_log_bytes = "1000000") {
    os::SpawnOptions options;
    options.command = {TRAIND_BINARY_DIR "/bin/traind-shim",
                       "--exit-record",
                       record_,
                       "--log",
                       log_,
                       "--max-log-bytes",
                       max_log_bytes,
                       "--incarnation",
                       "18446744073709551615",
                       "--",
                       "/bin/sh",
                       "-c",
                       script};
    options.environment = {"PATH=/usr/bin:/bin"};
    auto shim = os::Spawn(options);
    EXPECT_OK(shim);
    return *std::move(shim);
  }
  nlohmann::json End(const os::Pidfd& shim) {
    EXPECT_TRUE(shim.AwaitExit(absl::Seconds(20)));
    const auto status = os::Reap(shim);
    EXPECT_OK(status);
    EXPECT_EQ(status->code, 0);
    return nlohmann::json::parse(testing::ReadFile(record_));
  }
  std::string Log() {
    const auto chunk = os::ReadBoundedLog(log_, 0, 1 << 20);
    EXPECT_OK(chunk);
    return chunk->data;
  }
  // Waits until the worker has written a whole line, and returns it.
  std::string FirstLine() {
    for (;;) {
      const std::string log = Log();
      if (const size_t end = log.find('\n'); end != std::string::npos) return log.substr(0, end);
      ::usleep(1000);
    }
  }

  testing::TempDir folder_;
  const std::string record_ = (folder_ / "exit.json").string();
  const std::string log_ = (folder_ / "log").string();
};

TEST_F(ShimTest, KeepsExitCodeOutputAndIncarnation) {
  const auto record = End(Start("echo out; echo err >&2; exit 65"));
  EXPECT_EQ(record["exit_code"], 65);
  EXPECT_EQ(record["signal"], 0);
  EXPECT_EQ(record["incarnation"], "18446744073709551615");
  EXPECT_GE(record["end_unix_ms"].get<int64_t>(), record["start_unix_ms"].get<int64_t>());
  EXPECT_EQ(Log(), "out\nerr\n");
}

TEST_F(ShimTest, KeepsTheSignal) { EXPECT_EQ(End(Start("kill -9 $$"))["signal"], SIGKILL); }

TEST_F(ShimTest, PassesTermOnAndWaitsForTheWorker) {
  const os::Pidfd shim = Start("trap 'echo stopping; exit 3' TERM; echo ready; while :; do sleep 0.05; done");
  EXPECT_EQ(FirstLine(), "ready");
  ASSERT_OK(shim.Signal(SIGTERM));
  EXPECT_EQ(End(shim)["exit_code"], 3);
  EXPECT_EQ(Log(), "ready\nstopping\n");
}

TEST_F(ShimTest, WorkerDiesWithItsShim) {
  const os::Pidfd shim = Start("echo $$; exec sleep 1000");
  const int pid = std::stoi(FirstLine());
  ASSERT_OK_AND_ASSIGN(const os::ProcessIdentity worker, os::ReadIdentity(pid));
  ASSERT_OK_AND_ASSIGN(const os::Pidfd follow, os::Pidfd::Open(worker));
  ASSERT_OK(shim.Signal(SIGKILL));
  EXPECT_TRUE(follow.AwaitExit(absl::Seconds(10)));
  ASSERT_OK(os::Reap(shim));
}

TEST_F(ShimTest, SweepsWhatTheWorkerLeavesBehind) {
  const os::Pidfd shim = Start("setsid sleep 1000 & echo $!; exit 0");
  const int pid = std::stoi(FirstLine());
  EXPECT_EQ(End(shim)["exit_code"], 0);
  EXPECT_FALSE(os::ReadIdentity(pid).ok());
}

TEST_F(ShimTest, BoundsTheLog) {
  const auto record = End(Start("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done", "8000"));
  EXPECT_EQ(record["exit_code"], 0);
  ASSERT_OK_AND_ASSIGN(const os::LogRange range, os::BoundedLogRange(log_));
  EXPECT_EQ(range.end, 20000 * 11);
  EXPECT_LE(range.end - range.begin, 9000);
}

TEST_F(ShimTest, ProgramThatCannotStartIsRecorded) {
  os::SpawnOptions options;
  options.command = {TRAIND_BINARY_DIR "/bin/traind-shim", "--exit-record", record_, "--log", log_, "--", "/no/such/worker"};
  ASSERT_OK_AND_ASSIGN(const os::Pidfd shim, os::Spawn(options));
  EXPECT_EQ(End(shim)["exit_code"], 70);
  EXPECT_THAT(Log(), ::testing::HasSubstr("/no/such/worker"));
}

}  // namespace
}  // namespace traind::worker::shim
