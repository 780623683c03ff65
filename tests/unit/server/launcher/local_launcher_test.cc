// Real processes, played by shell scripts.
#include "server/launcher/local_launcher.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/launcher/rank_folder.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::server::launcher {
namespace {

using ::testing::HasSubstr;

class LocalLauncherTest : public ::testing::Test {
 protected:
  void SetUp() override { Shim("sleep 60 & wait $!"); }
  // What traind-shim does in this test.
  void Shim(const std::string& body) {
    const std::string path = folder_.Write("bin/traind-shim", absl::StrCat("#!/bin/sh\n", body, "\n"));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  RankLaunch Rank(int rank = 0) {
    RankLaunch launch;
    launch.job = JobId("dqn-a");
    launch.attempt = AttemptId(3);
    launch.rank = rank;
    launch.incarnation = Incarnation(42);
    launch.job_folder = (folder_ / "jobs/dqn-a").string();
    return launch;
  }
  std::string FolderOf(int rank) { return RankFolder(Rank().job_folder, AttemptId(3), rank); }
  template <typename Condition>
  static bool Eventually(Condition condition) {
    for (int i = 0; i < 1000; ++i) {
      if (condition()) return true;
      absl::SleepFor(absl::Milliseconds(10));
    }
    return false;
  }

  testing::TempDir folder_;
  std::atomic<int> exits_ = 0;
  LocalLauncher launcher_{{.programs = (folder_ / "bin").string(), .coordinator = "unix:/x", .environment = {"PATH=/usr/bin:/bin"}}};
};

TEST_F(LocalLauncherTest, PassesWhoTheWorkerIsAndNothingElse) {
  setenv("SECRET_TOKEN", "hunter2", 1);
  Shim("printf '%s\\n' \"$@\" >args; env >env; mv env env.done");
  ASSERT_OK(launcher_.Launch({Rank()}));
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(FolderOf(0) + "/env.done"); }));
  const std::string args = testing::ReadFile(FolderOf(0) + "/args");
  for (const char* part : {"--coordinator\nunix:/x\n", "--job\njobs/dqn-a\n", "--attempt\n3\n", "--rank\n0\n", "--incarnation\n42\n"}) {
    EXPECT_THAT(args, HasSubstr(part));
  }
  const std::string env = testing::ReadFile(FolderOf(0) + "/env.done");
  EXPECT_THAT(env, HasSubstr("CUDA_VISIBLE_DEVICES=\n"));
  EXPECT_THAT(env, ::testing::Not(HasSubstr("hunter2")));
}

TEST_F(LocalLauncherTest, FollowsAProcessToItsEnd) {
  launcher_.SetExitListener([this] { ++exits_; });
  ASSERT_OK_AND_ASSIGN(const auto shims, launcher_.Launch({Rank()}));
  EXPECT_TRUE(launcher_.IsAlive(shims[0]));
  EXPECT_EQ(exits_, 0);
  EXPECT_OK(launcher_.Signal(shims[0], SIGKILL));
  EXPECT_TRUE(Eventually([&] { return exits_ == 1; }));
  EXPECT_FALSE(launcher_.IsAlive(shims[0]));
  EXPECT_OK(launcher_.Signal(shims[0], SIGTERM));
}

// A pid that is somebody else's by now is left alone.
TEST_F(LocalLauncherTest, NeverSignalsAStranger) {
  ASSERT_OK_AND_ASSIGN(const auto shims, launcher_.Launch({Rank()}));
  domain::ProcessId stranger = shims[0];
  stranger.start_time_ticks += 1;
  EXPECT_FALSE(launcher_.IsAlive(stranger));
  EXPECT_OK(launcher_.Signal(stranger, SIGTERM));
  EXPECT_OK(launcher_.Signal(stranger, SIGKILL));
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_TRUE(launcher_.IsAlive(shims[0]));
  EXPECT_OK(launcher_.Signal(shims[0], SIGKILL));
}

TEST_F(LocalLauncherTest, AGangStartsWholeOrNotAtAll) {
  std::filesystem::create_directories(FolderOf(0));
  testing::TempDir other;
  RankLaunch bad = Rank(1);
  bad.job_folder = other.Write("file", "not a folder");
  const absl::Status status = launcher_.Launch({Rank(0), bad}).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("rank 1"));
  EXPECT_FALSE(std::filesystem::exists(FolderOf(0)));
}

TEST_F(LocalLauncherTest, MissingProgramsAreASentence) {
  std::filesystem::remove(folder_ / "bin/traind-shim");
  EXPECT_THAT(std::string(launcher_.Launch({Rank()}).status().message()), HasSubstr("traind-shim"));
}

TEST_F(LocalLauncherTest, ReadsExitRecords) {
  const auto read = [&] { return launcher_.ReadExit(Rank().job_folder, AttemptId(3), 0); };
  ASSERT_OK_AND_ASSIGN(const auto none, read());
  EXPECT_FALSE(none.has_value());
  const auto write = [&](const std::string& text) { folder_.Write("jobs/dqn-a/attempts/3/rank0/exit.json", text); };
  write(R"({"exit_code": 10, "signal": 0})");
  ASSERT_OK_AND_ASSIGN(const auto record, read());
  EXPECT_EQ(record, (ExitRecord{10, 0, false}));
  write(R"({"exit_code": 0, "signal": 9, "out_of_memory": true})");
  ASSERT_OK_AND_ASSIGN(const auto oom, read());
  EXPECT_EQ(oom, (ExitRecord{0, 9, true}));
  for (const char* bad : {"", "{", "[]", "3", "{\"exit_code\": \"x\", \"signal\": 0}", "{\"exit_code\": 1}"}) {
    write(bad);
    EXPECT_TRUE(absl::IsDataLoss(read().status())) << bad;
  }
}

}  // namespace
}  // namespace traind::server::launcher
