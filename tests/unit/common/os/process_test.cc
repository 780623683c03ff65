#include "common/os/process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "common/os/files.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::os {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;
using testing::TempDir;

SpawnOptions Shell(const std::string& script) {
  SpawnOptions options;
  options.command = {"/bin/sh", "-c", script};
  return options;
}

absl::Status WriteOver(const std::string& path, const std::string& text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, path);
}

TEST(Spawn, KeepsTheExitCodeAndTheSignal) {
  ASSERT_OK_AND_ASSIGN(const Pidfd code, Spawn(Shell("exit 7")));
  EXPECT_TRUE(code.AwaitExit(absl::Seconds(10)));
  ASSERT_OK_AND_ASSIGN(const ExitStatus exit, Reap(code));
  EXPECT_EQ(exit.code, 7);
  EXPECT_EQ(exit.signal, 0);

  ASSERT_OK_AND_ASSIGN(const Pidfd killed, Spawn(Shell("exec sleep 100")));
  EXPECT_FALSE(killed.AwaitExit(absl::ZeroDuration()));
  ASSERT_OK(killed.Signal(SIGKILL));
  ASSERT_OK_AND_ASSIGN(const ExitStatus end, Reap(killed));
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_OK(killed.Signal(SIGKILL)) << "a process that has ended is not an error";
  EXPECT_THAT(Reap(killed), testing::StatusCodeIs(absl::StatusCode::kFailedPrecondition));
}

TEST(Spawn, ChildHasOnlyTheGivenEnvironmentAndDescriptors) {
  TempDir folder;
  const std::string out = folder.Write("out", "");
  const UniqueFd file(::open(out.c_str(), O_WRONLY | O_CLOEXEC));
  const int leaked = ::dup(file.get());  // without close-on-exec
  // ls itself opens the folder that it lists, as the lowest number that is free.
  SpawnOptions options = Shell("echo \"$A-$HOME\"; pwd; exec ls /proc/self/fd");
  options.environment = {"A=1", "PATH=/usr/bin:/bin"};
  options.folder = folder.path().string();
  options.standard_output = file.get();
  ASSERT_OK_AND_ASSIGN(const Pidfd child, Spawn(options));
  ASSERT_OK(Reap(child));
  ::close(leaked);
  EXPECT_THAT(testing::ReadFile(out), ::testing::Eq("1-\n" + folder.path().string() + "\n0\n1\n2\n3\n"));
}

// With a raised score, since lowering one below 0 is privileged.
TEST(Spawn, AChildKeepsOrDropsTheOomScore) {
  const std::string own = "/proc/self/oom_score_adj";
  const std::string before = testing::ReadFile(own);
  ASSERT_OK(WriteOver(own, "300"));
  TempDir folder;
  std::vector<std::string> scores;
  for (const bool drop : {false, true}) {
    const std::string out = folder.Write("out", "");
    const UniqueFd file(::open(out.c_str(), O_WRONLY | O_CLOEXEC));
    SpawnOptions options = Shell("read score </proc/self/oom_score_adj; echo $score");
    options.standard_output = file.get();
    options.drop_oom_protection = drop;
    ASSERT_OK_AND_ASSIGN(const Pidfd child, Spawn(options));
    ASSERT_OK(Reap(child));
    scores.push_back(testing::ReadFile(out));
  }
  ASSERT_OK(WriteOver(own, before));
  EXPECT_THAT(scores, ::testing::ElementsAre("300\n", "0\n"));
}

TEST(Spawn, NamesTheStepThatFailed) {
  SpawnOptions options;
  options.command = {"/no/such/program"};
  EXPECT_THAT(Spawn(options), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/program, running the program")));
  options = Shell("true");
  options.folder = "/no/such/folder";
  EXPECT_THAT(Spawn(options), StatusIs(absl::StatusCode::kNotFound, HasSubstr("entering its folder")));
  EXPECT_FALSE(Spawn(SpawnOptions{}).ok());
}

TEST(Identity, TellsAProcessFromALaterOneWithItsPid) {
  ASSERT_OK_AND_ASSIGN(const Pidfd child, Spawn(Shell("exec sleep 100")));
  ASSERT_OK_AND_ASSIGN(const ProcessIdentity identity, ReadIdentity(child.pid()));
  EXPECT_TRUE(IsAlive(identity));
  EXPECT_OK(Pidfd::Open(identity));
  ProcessIdentity other = identity;
  other.start_time_ticks += 1;
  EXPECT_FALSE(IsAlive(other));
  EXPECT_FALSE(Pidfd::Open(other).ok());
  other = identity;
  other.boot_id = "another";
  EXPECT_FALSE(IsAlive(other));

  ASSERT_OK(child.Signal(SIGKILL));
  ASSERT_TRUE(child.AwaitExit(absl::Seconds(10)));
  EXPECT_FALSE(IsAlive(identity)) << "a zombie has ended";
  ASSERT_OK(Reap(child));
  EXPECT_THAT(ReadIdentity(child.pid()), testing::StatusCodeIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace traind::os
