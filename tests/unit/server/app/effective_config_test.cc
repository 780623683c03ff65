#include "server/app/effective_config.h"

#include "server/app/gpu_list.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::server::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOkAndHolds;
using testing::StatusCodeIs;
using testing::StatusIs;

Surroundings Someone(std::map<std::string, std::string> env = {}) {
  env.emplace("HOME", "/home/ada");
  return {.env = [env](const char* name) -> std::optional<std::string> {
            const auto found = env.find(name);
            return found == env.end() ? std::nullopt : std::optional<std::string>(found->second);
          },
          .uid = 1000,
          .cores = 6,
          .working_folder = "/home/u"};
}

TEST(EffectiveConfig, DefaultsDependOnUserAndMachine) {
  ASSERT_OK_AND_ASSIGN(const auto config, EffectiveConfig({}, Someone()));
  EXPECT_EQ(config.state(), "/home/ada/.local/state/traind");
  EXPECT_EQ(config.socket(), "/home/ada/.local/state/traind/traind.sock");
  EXPECT_EQ(config.http().port(), 0);
  EXPECT_EQ(config.slots().cpu(), 3);
  EXPECT_EQ(config.workers().lease(), "10s");
  Surroundings root = Someone();
  root.uid = 0;
  root.cores = 1;
  ASSERT_OK_AND_ASSIGN(const auto of_root, EffectiveConfig({}, root));
  EXPECT_EQ(of_root.socket(), "/run/traind/traind.sock");
  EXPECT_EQ(of_root.http().port(), 9464);
  EXPECT_EQ(of_root.slots().cpu(), 1);
}

TEST(EffectiveConfig, FlagsWinOverTheFile) {
  const testing::TempDir folder;
  Flags flags;
  flags.config = folder.Write("traind.yaml", "state: /var/a\nhttp: {port: 1}\nslots: {cpu: 7}\n");
  ASSERT_OK_AND_ASSIGN(const auto of_file, EffectiveConfig(flags, Someone()));
  EXPECT_EQ(of_file.state(), "/var/a");
  EXPECT_EQ(of_file.socket(), "/var/a/traind.sock");
  EXPECT_EQ(of_file.slots().cpu(), 7);
  flags.state = "b/../c";
  flags.http_port = 2;
  flags.cpu_slots = 0;
  flags.socket = "/s";
  ASSERT_OK_AND_ASSIGN(const auto config, EffectiveConfig(flags, Someone({{"XDG_RUNTIME_DIR", "/run/user/1000"}})));
  EXPECT_EQ(config.state(), "/home/u/c");
  EXPECT_EQ(config.http().port(), 2);
  EXPECT_EQ(config.slots().cpu(), 0);
  EXPECT_EQ(config.socket(), "/s");
}

TEST(EffectiveConfig, MistakesAreSentences) {
  const testing::TempDir folder;
  Flags flags;
  flags.config = (folder / "nothing.yaml").string();
  EXPECT_THAT(EffectiveConfig(flags, Someone()), StatusIs(absl::StatusCode::kNotFound, HasSubstr("nothing.yaml")));
  flags.config = folder.Write("bad.yaml", "slots: {cpus: 1}\nhttp: {port: 99999}\n");
  EXPECT_THAT(EffectiveConfig(flags, Someone()),
              StatusIs(absl::StatusCode::kInvalidArgument, ::testing::AllOf(HasSubstr("slots.cpus"), HasSubstr("http.port"))));
  flags = {};
  flags.http_port = -3;
  flags.socket = "/" + std::string(200, 'x');
  EXPECT_THAT(EffectiveConfig(flags, Someone()),
              StatusIs(absl::StatusCode::kInvalidArgument, ::testing::AllOf(HasSubstr("socket"), HasSubstr("http.port"))));
}

TEST(VisibleGpus, ComposeWithTheMaskAndNeverWidenIt) {
  EXPECT_THAT(VisibleGpus({}, std::nullopt), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(VisibleGpus({"0", "2"}, std::nullopt), IsOkAndHolds(ElementsAre("0", "2")));
  EXPECT_THAT(VisibleGpus({}, "3, 1"), IsOkAndHolds(ElementsAre("3", "1")));
  EXPECT_THAT(VisibleGpus({}, ""), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(VisibleGpus({}, "2,-1,3"), IsOkAndHolds(ElementsAre("2")));
  EXPECT_THAT(VisibleGpus({"1"}, "3,5"), IsOkAndHolds(ElementsAre("5")));
  EXPECT_THAT(VisibleGpus({"GPU-b"}, "GPU-a,GPU-b"), IsOkAndHolds(ElementsAre("GPU-b")));
  EXPECT_THAT(VisibleGpus({"0"}, "GPU-a,GPU-b"), IsOkAndHolds(ElementsAre("GPU-a")));
  EXPECT_THAT(VisibleGpus({"3"}, "3,5"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("GPU 3")));
  EXPECT_THAT(VisibleGpus({"GPU-c"}, "GPU-a,GPU-b"), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(VisibleGpus({"0"}, ""), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(VisibleGpus({"0", "0"}, std::nullopt), StatusCodeIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace traind::server::app
