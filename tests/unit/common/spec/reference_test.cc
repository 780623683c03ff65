// The schema as documentation: every field explained, and the rendered pages those of the repository.
#include <filesystem>

#include "common/spec/daemon_config.h"
#include "common/spec/data_path.h"
#include "common/spec/explain.h"
#include "common/spec/field_meta.h"
#include "common/spec/normalise.h"
#include "common/spec/templates.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "tests/unit/common/spec/job_text.h"

namespace traind::spec {
namespace {

using ::testing::HasSubstr;
const std::string kSource = TRAIND_SOURCE_DIR;

TEST(Reference, PagesAreThoseOfTheSchema) {
  EXPECT_EQ(testing::ReadFile(kSource + "/docs/reference/job.md"), JobReference()) << "run tools/reference";
  EXPECT_EQ(testing::ReadFile(kSource + "/docs/reference/config.md"), ConfigReference()) << "run tools/reference";
  EXPECT_EQ(testing::ReadFile(kSource + "/deploy/systemd/traind.yaml"), ConfigTemplate()) << "run tools/reference";
}

void CheckMeta(const google::protobuf::Descriptor& message, const std::string& path) {
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& field = *message.field(i);
    const std::string at = JoinPath(path, field.name());
    const options::v1::FieldMeta& meta = MetaOf(field);
    EXPECT_FALSE(meta.help().empty()) << at << " has no help";
    if (IsBlock(field) || IsBlockList(field)) {
      CheckMeta(*field.message_type(), at);
      continue;
    }
    const bool number = field.cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_STRING &&
                        field.cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_BOOL &&
                        field.cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
    if (number || meta.duration() || meta.size()) {
      EXPECT_TRUE(meta.has_min() && meta.has_max()) << at << " has no range";
    }
    // Presence tells "not set" from "set to zero".
    if (!field.is_repeated()) {
      EXPECT_TRUE(field.has_presence()) << at << " has no presence";
    }
  }
}

TEST(Reference, EveryFieldIsDescribed) {
  CheckMeta(*v1::JobSpec::descriptor(), "");
  CheckMeta(*config::v1::DaemonConfig::descriptor(), "");
}

TEST(Reference, DefaultsAreAllowedValues) {
  EXPECT_OK(LoadDaemonConfig("", "traind.yaml"));
  EXPECT_EQ(Lines(ValidateJob(NormaliseJob(ReadJob("env: synthetic\ndqn: {}\n")))), "");
  EXPECT_EQ(Lines(ValidateJob(NormaliseJob(ReadJob("dqn: {}\ndata: {sources: [{path: m:x.csv}]}\n")))), "");
}

TEST(Templates, AreJobsToStartFrom) {
  ASSERT_OK_AND_ASSIGN(const std::string text, JobTemplate("dqn"));
  const v1::JobSpec spec = ReadJob(text);
  EXPECT_TRUE(spec.has_dqn());
  EXPECT_EQ(Lines(ValidateJob(spec)), "");
  EXPECT_THAT(std::string(JobTemplate("dqm").status().message()), HasSubstr("dqn"));
  EXPECT_OK(LoadDaemonConfig(ConfigTemplate(), "traind.yaml"));
}

TEST(Templates, ExamplesAreValid) {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++examples;
    EXPECT_EQ(Lines(ValidateJob(ReadJob(testing::ReadFile(entry.path())))), "") << entry.path();
  }
  EXPECT_GE(examples, 2);
}

TEST(Explain, FieldsBlocksAndTheTop) {
  const auto& job = *v1::JobSpec::descriptor();
  ASSERT_OK_AND_ASSIGN(const std::string field, Explain("dqn.learning_rate", job));
  for (const char* part : {"learning_rate", "1e-4", "optimiser"}) EXPECT_THAT(field, HasSubstr(part));
  ASSERT_OK_AND_ASSIGN(const std::string block, Explain("dqn", job));
  EXPECT_THAT(block, HasSubstr("batch_size"));
  ASSERT_OK_AND_ASSIGN(const std::string top, Explain("", job));
  EXPECT_THAT(top, HasSubstr("walk_forward"));
  const absl::Status unknown = Explain("dqn.learning_rat", job).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("learning_rate"));
}

TEST(DaemonConfig, ErrorsNameFileAndField) {
  const absl::Status status =
      LoadDaemonConfig("slots: {cpu: -1}\nsokket: /x\nhttp: {port: 70000}\ndata_roots: {m: relative}\n", "traind.yaml").status();
  for (const char* part : {"traind.yaml", "slots.cpu", "sokket", "socket", "http.port", "data_roots.m"}) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(part));
  }
}

TEST(DataPath, RootAndPath) {
  EXPECT_THAT(ParseDataPath("market:daily/spy.csv"), testing::IsOkAndHolds(DataPath{"market", "daily/spy.csv"}));
  for (const char* wrong :
       {"", "spy.csv", ":x", "m:", "m:/etc/passwd", "m:../x", "m:a/../b", "m:a//b", "m:./a", "M:x", "m:a\nb", "m:a\xff", "/x:y"}) {
    EXPECT_FALSE(ParseDataPath(wrong).ok()) << wrong;
  }
  EXPECT_FALSE(ParseDataPath("m:" + std::string(5000, 'a')).ok());
}

}  // namespace
}  // namespace traind::spec
