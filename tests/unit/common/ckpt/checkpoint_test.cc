#include "common/ckpt/checkpoint.h"

#include <filesystem>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::ckpt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsOkAndHolds;
using testing::StatusCodeIs;
using testing::StatusIs;

class CheckpointTest : public ::testing::Test {
 protected:
  absl::StatusOr<CheckpointSummary> Write(int64_t step) {
    return WriteCheckpoint(path_, step, {{"model.safetensors", "weights " + std::to_string(step)}, {"state.json", "{}"}}, {{"seed", "1"}});
  }
  void Damage(int64_t step) {
    char name[16];
    snprintf(name, sizeof(name), "%012ld", static_cast<long>(step));
    folder_.Write(std::string("c/") + name + "/state.json", "[]");
  }
  testing::TempDir folder_;
  const std::string path_ = (folder_ / "c").string();
};

TEST_F(CheckpointTest, ReadsBackWhatWasWritten) {
  ASSERT_OK_AND_ASSIGN(const CheckpointSummary summary, Write(42));
  EXPECT_EQ(summary.folder, "000000000042");
  ASSERT_OK_AND_ASSIGN(const LoadedCheckpoint loaded, ReadCheckpoint(path_, summary.folder));
  EXPECT_EQ(loaded.files.at("model.safetensors"), "weights 42");
  EXPECT_EQ(loaded.facts.at("seed"), "1");
  EXPECT_EQ(loaded.summary.manifest_sha256, summary.manifest_sha256);
  EXPECT_EQ(loaded.summary.size_bytes, summary.size_bytes);
}

TEST_F(CheckpointTest, TheSameOneIsKeptADamagedOrAnotherIsReplaced) {
  ASSERT_OK_AND_ASSIGN(const CheckpointSummary first, Write(1));
  const auto written = std::filesystem::last_write_time(path_ + "/" + first.folder);
  ASSERT_OK_AND_ASSIGN(const CheckpointSummary again, Write(1));
  EXPECT_EQ(again.manifest_sha256, first.manifest_sha256);
  EXPECT_EQ(std::filesystem::last_write_time(path_ + "/" + first.folder), written);
  Damage(1);
  EXPECT_OK(Write(1));
  EXPECT_OK(ReadCheckpoint(path_, first.folder));
  ASSERT_OK(WriteCheckpoint(path_, 1, {{"model.safetensors", "other weights"}}, {{"seed", "2"}}));
  ASSERT_OK_AND_ASSIGN(const LoadedCheckpoint replaced, ReadCheckpoint(path_, first.folder));
  EXPECT_EQ(replaced.facts.at("seed"), "2");
  EXPECT_EQ(replaced.files.size(), 1u);
}

TEST_F(CheckpointTest, NewestValidOneIsFoundBehindDamagedOnes) {
  for (const int64_t step : {10, 20, 30}) ASSERT_OK(Write(step));
  Damage(30);
  std::vector<std::string> skipped;
  ASSERT_OK_AND_ASSIGN(const LoadedCheckpoint loaded, ReadNewestCheckpoint(path_, &skipped));
  EXPECT_EQ(loaded.summary.step, 20);
  EXPECT_THAT(skipped, ElementsAre(HasSubstr("state.json has another S")));
  EXPECT_THAT(ReadNewestCheckpoint((folder_ / "none").string(), nullptr), StatusCodeIs(absl::StatusCode::kNotFound));
}

TEST_F(CheckpointTest, EveryBitCounts) {
  ASSERT_OK_AND_ASSIGN(const CheckpointSummary summary, Write(1));
  const std::string file = path_ + "/" + summary.folder + "/model.safetensors";
  const std::string content = testing::ReadFile(file);
  for (size_t i = 0; i < content.size() * 8; ++i) {
    std::string flipped = content;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    folder_.Write("c/" + summary.folder + "/model.safetensors", flipped);
    EXPECT_THAT(ReadCheckpoint(path_, summary.folder), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("SHA-256"))) << i;
  }
}

TEST_F(CheckpointTest, RetentionKeepsTheNewestValidThePinnedAndClearsLeftovers) {
  for (const int64_t step : {10, 20, 30, 40}) ASSERT_OK(Write(step));
  folder_.Write("c/000000000050.tmp-1/model.safetensors", "half");
  Damage(40);
  EXPECT_THAT(RemoveOldCheckpoints(path_, 1, {10}), IsOkAndHolds(ElementsAre(20)));
  EXPECT_TRUE(std::filesystem::exists(path_ + "/000000000030"));
  EXPECT_TRUE(std::filesystem::exists(path_ + "/000000000010"));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/000000000050.tmp-1"));
}

TEST_F(CheckpointTest, ManifestsOfOthersAreRefused) {
  ASSERT_OK_AND_ASSIGN(const CheckpointSummary summary, Write(1));
  const std::string manifest = "c/" + summary.folder + "/manifest.json";
  for (const char* text :
       {"", "x", "{}", "[]", "{\"format\":\"traind-checkpoint\",\"version\":1,\"step\":2,\"files\":{},\"facts\":{}}",
        "{\"format\":\"traind-checkpoint\",\"version\":1,\"step\":1,\"files\":{\"../x\":{\"size\":1,\"sha256\":\"\"}},\"facts\":{}}",
        "{\"format\":\"traind-checkpoint\",\"version\":1,\"step\":1,\"files\":{\"x\":{}},\"facts\":{}}"}) {
    folder_.Write(manifest, text);
    EXPECT_THAT(ReadCheckpoint(path_, summary.folder), StatusCodeIs(absl::StatusCode::kDataLoss)) << text;
  }
  folder_.Write(manifest, "{\"format\":\"traind-checkpoint\",\"version\":9,\"step\":1,\"files\":{},\"facts\":{}}");
  EXPECT_THAT(ReadCheckpoint(path_, summary.folder), StatusCodeIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace traind::ckpt
