#include "tests/unit/common/spec/job_text.h"

namespace traind::spec {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(YamlReader, ReadsEveryKindOfField) {
  Origins origins;
  const v1::JobSpec spec = ReadJob(R"(
display_name: "demo: one"
labels: {team: fx, desk: "7"}
priority: 0
data:
  sources:
    - {path: m:a.csv, layout: wide}
    - path: m:b.csv
dqn:
  learning_rate: 1e-3
  steps: 1e6
  hidden: [128, 64]
  double_dqn: false
)",
                                   nullptr, &origins);
  EXPECT_EQ(spec.display_name(), "demo: one");
  EXPECT_EQ(spec.labels().at("desk"), "7");
  EXPECT_TRUE(spec.has_priority());
  EXPECT_EQ(spec.priority(), 0);
  ASSERT_EQ(spec.data().sources_size(), 2);
  EXPECT_EQ(spec.data().sources(0).layout(), "wide");
  EXPECT_FALSE(spec.data().sources(1).has_layout());
  EXPECT_DOUBLE_EQ(spec.dqn().learning_rate(), 1e-3);
  EXPECT_EQ(spec.dqn().steps(), 1'000'000);
  EXPECT_THAT(spec.dqn().hidden(), ::testing::ElementsAre(128, 64));
  EXPECT_FALSE(spec.dqn().double_dqn());
  EXPECT_FALSE(spec.has_seed());
  EXPECT_EQ(origins.at("dqn.learning_rate"), "job.yaml:10");
  EXPECT_EQ(origins.at("data.sources[1].path"), "job.yaml:8");
}

TEST(YamlReader, AnEmptyBlockChoosesTheTask) {
  EXPECT_TRUE(ReadJob("dqn:\n").has_dqn());
  EXPECT_TRUE(ReadJob("dqn: {}\n").has_dqn());
}

// Everything that is wrong comes at once, each with its line and what to do.
TEST(YamlReader, CollectsEveryError) {
  const std::vector<FieldError> errors = ErrorsOf(R"(
priorty: 3
seed: many
dqn:
  learning_rat: 0.1
  steps: 1.5
  hidden: 64
  double_dqn: yess
  window: 5
seed: 4
ppo: {}
)");
  const std::string text = Lines(errors);
  EXPECT_THAT(errors, SizeIs(9)) << text;
  EXPECT_THAT(text, HasSubstr("priorty: unknown key; did you mean priority? (job.yaml:2)"));
  EXPECT_THAT(text, HasSubstr("seed: "));
  EXPECT_THAT(text, HasSubstr("(job.yaml:3)"));
  EXPECT_THAT(text, HasSubstr("dqn.learning_rat: unknown key; did you mean learning_rate? (job.yaml:5)"));
  EXPECT_THAT(text, HasSubstr("dqn.steps: "));
  EXPECT_THAT(text, HasSubstr("dqn.hidden: "));
  EXPECT_THAT(text, HasSubstr("dqn.double_dqn: "));
  EXPECT_THAT(text, HasSubstr("dqn.window: unknown key here; did you mean data.window? (job.yaml:9)"));
  EXPECT_THAT(text, HasSubstr("seed: is set twice in this block; keep one (job.yaml:10)"));
  EXPECT_THAT(text, HasSubstr("ppo: a job has one task"));
}

TEST(YamlReader, NumbersAreFinite) {
  for (const char* text : {".nan", ".inf", "-.inf", "nan", "inf", "1e999", "1_000"}) {
    EXPECT_THAT(Lines(ErrorsOf(absl::StrCat("dqn: {learning_rate: ", text, "}"))), HasSubstr("dqn.learning_rate: expected a")) << text;
  }
}

TEST(YamlReader, AValueWithAnErrorIsLeftUnset) {
  std::vector<FieldError> errors;
  const v1::JobSpec spec = ReadJob("seed: many\npriority: 7\n", &errors);
  EXPECT_FALSE(spec.has_seed());
  EXPECT_EQ(spec.priority(), 7);
}

// Whatever the bytes are, the answer is a sentence.
TEST(YamlReader, TextsThatAreNoJob) {
  for (const std::string& text :
       {std::string(""), std::string("\n# only a comment\n"), std::string("- a\n- b\n"), std::string("5"), std::string("dqn: [1"),
        std::string("a: b: c"), std::string("\tdqn: {}"), std::string("dqn: {}\n---\ndqn: {}\n"), std::string("dqn: *unknown"),
        std::string("display_name: \"a\0b\"", 20), std::string("\xff\xfe"), std::string("? [a, b]\n: c\n"), std::string("!!binary x"),
        std::string("%YAML 9.9\n---\nx: 1"), std::string(2 << 20, 'a'), std::string(200, '[')}) {
    const std::vector<FieldError> errors = ErrorsOf(text);
    ASSERT_FALSE(errors.empty()) << text.substr(0, 40);
    for (const FieldError& error : errors) EXPECT_LT(error.message.size(), 400u);
  }
}

TEST(YamlReader, BoundsDepthAndAliases) {
  std::string deep = "x: 1";
  for (int i = 0; i < 40; ++i) deep = "{a: " + deep + "}";
  EXPECT_THAT(Lines(ErrorsOf(deep)), HasSubstr("32"));
  // Each line doubles what the one before stands for.
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) absl::StrAppend(&bomb, "a", i, ": &a", i, " [*a", i - 1, ", *a", i - 1, "]\n");
  EXPECT_THAT(ErrorsOf(bomb), ::testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace traind::spec
