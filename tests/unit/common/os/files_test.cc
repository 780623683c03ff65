#include "common/os/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsOkAndHolds;
using testing::StatusCodeIs;
using testing::StatusIs;
using testing::TempDir;

class FilesTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) { return (folder_ / name).string(); }
  TempDir folder_;
};

TEST_F(FilesTest, DurableWriteReplacesTheWholeFileAndLeavesNothingElse) {
  ASSERT_OK(WriteFileDurably(Path("a"), "a long first content"));
  ASSERT_OK(WriteFileDurably(Path("a"), "second"));
  EXPECT_THAT(ReadWholeFile(Path("a"), 100), IsOkAndHolds("second"));
  EXPECT_THAT(ListFolder(Path("")), IsOkAndHolds(ElementsAre("a")));
}

TEST_F(FilesTest, DurableWriteIntoAMissingFolderNamesThePath) {
  EXPECT_THAT(WriteFileDurably(Path("no/a"), "x"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("no/a")));
}

TEST_F(FilesTest, WriteAndSyncDoesNotReplace) {
  ASSERT_OK(WriteAndSync(Path("a"), "x"));
  EXPECT_THAT(WriteAndSync(Path("a"), "y"), StatusCodeIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(ReadWholeFile(Path("a"), 100), IsOkAndHolds("x"));
}

TEST_F(FilesTest, ReadIsBounded) {
  folder_.Write("a", std::string(1000, 'x'));
  EXPECT_THAT(ReadWholeFile(Path("a"), 999), StatusCodeIs(absl::StatusCode::kResourceExhausted));
  EXPECT_OK(ReadWholeFile(Path("a"), 1000));
}

TEST_F(FilesTest, MakeFoldersIsRepeatableAndRefusesAFile) {
  EXPECT_OK(MakeFolders(Path("a/b/c")));
  EXPECT_OK(MakeFolders(Path("a/b/c")));
  folder_.Write("f", "");
  EXPECT_THAT(MakeFolders(Path("f")), StatusCodeIs(absl::StatusCode::kAlreadyExists));
  EXPECT_OK(RemoveTree(Path("a")));
  EXPECT_OK(RemoveTree(Path("a")));
}

// FIPS 180-2, appendix B.1.
TEST_F(FilesTest, Sha256MatchesThePublishedVector) {
  constexpr char kAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(Sha256Hex("abc"), kAbc);
  folder_.Write("a", "abc");
  EXPECT_THAT(Sha256HexOfFile(Path("a")), IsOkAndHolds(kAbc));
}

class OpenBeneathTest : public FilesTest {
 protected:
  OpenBeneathTest() {
    folder_.Write("root/in/file", "inside");
    folder_.Write("secret", "outside");
    EXPECT_EQ(symlink("../secret", Path("root/link").c_str()), 0);
    EXPECT_EQ(symlink("/etc", Path("root/etc").c_str()), 0);
    EXPECT_EQ(symlink("in/file", Path("root/good").c_str()), 0);
    EXPECT_EQ(mkfifo(Path("root/fifo").c_str(), 0600), 0);
  }
  std::string root_ = Path("root");
};

TEST_F(OpenBeneathTest, OpensWhatIsInside) {
  for (const char* name : {"in/file", "good", "in/../in/file", "./in/file"}) {
    ASSERT_OK_AND_ASSIGN(const UniqueFd file, OpenBeneath(root_, name));
    char bytes[16] = {};
    EXPECT_EQ(::read(file.get(), bytes, sizeof(bytes)), 6) << name;
  }
}

TEST_F(OpenBeneathTest, NothingLeadsOut) {
  const std::string zero("in\0/file", 8);
  for (const std::string& name : {std::string("../secret"), std::string("link"), std::string("etc/passwd"), std::string("/etc/passwd"),
                                  std::string("in/../../secret"), zero, std::string(5000, 'x'), std::string("")}) {
    EXPECT_FALSE(OpenBeneath(root_, name).ok()) << name;
  }
}

TEST_F(OpenBeneathTest, FoldersAndPipesAreNotFiles) {
  EXPECT_THAT(OpenBeneath(root_, "in"), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(OpenBeneath(root_, "fifo"), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(OpenBeneath(root_, "absent"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent")));
}

}  // namespace
}  // namespace traind::os
