#include "common/os/socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/os/lock_file.h"
#include "common/os/user_dirs.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::os {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;
using testing::TempDir;

TEST(ListenUnix, ReplacesAStaleSocketButNoLivingOne) {
  TempDir folder;
  const std::string path = (folder / "s").string();
  {
    ASSERT_OK_AND_ASSIGN(const UniqueFd first, ListenUnix(path, 0660));
    EXPECT_TRUE(SomebodyListens(path));
    EXPECT_THAT(ListenUnix(path, 0660), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr(path)));
  }
  EXPECT_FALSE(SomebodyListens(path));
  ASSERT_OK_AND_ASSIGN(const UniqueFd second, ListenUnix(path, 0600));
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST(ListenUnix, RefusesWhatIsNotASocketAndPathsTooLong) {
  TempDir folder;
  const std::string file = folder.Write("f", "keep me");
  EXPECT_THAT(ListenUnix(file, 0660), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("not a socket")));
  EXPECT_EQ(testing::ReadFile(file), "keep me");
  EXPECT_THAT(ListenUnix("/tmp/" + std::string(200, 'x'), 0660), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too long")));
}

TEST(CredentialsOf, NamesThePeer) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const UniqueFd a(ends[0]), b(ends[1]);
  ASSERT_OK_AND_ASSIGN(const PeerCredentials peer, CredentialsOf(a.get()));
  EXPECT_EQ(peer.uid, ::getuid());
  EXPECT_EQ(peer.pid, ::getpid());
  EXPECT_FALSE(CredentialsOf(-1).ok());
}

TEST(LockFile, SecondHolderIsToldWhoHasIt) {
  TempDir folder;
  const std::string path = (folder / "lock").string();
  {
    ASSERT_OK_AND_ASSIGN(const LockFile lock, LockFile::Acquire(path));
    EXPECT_THAT(LockFile::Acquire(path), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(std::to_string(::getpid()))));
  }
  EXPECT_OK(LockFile::Acquire(path));
}

TEST(DefaultDirs, DifferForRootAndUsers) {
  const EnvLookup env = [](const char* name) -> std::optional<std::string> {
    return std::string(name) == "HOME" ? std::optional<std::string>("/home/a") : std::nullopt;
  };
  EXPECT_EQ(DefaultDirs(0, env).state, "/var/lib/traind");
  EXPECT_EQ(DefaultDirs(1000, env).state, "/home/a/.local/state/traind");
  EXPECT_EQ(DefaultDirs(1000, env).socket, "/home/a/.local/state/traind/traind.sock");
  EXPECT_EQ(DefaultDirs(1000, env).http_port, 0);
}

}  // namespace
}  // namespace traind::os
