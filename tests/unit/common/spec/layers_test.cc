// defaults < hyper-parameter JSON < job file < --set, and where each value came from.
#include "common/spec/hyper_json.h"
#include "common/spec/merge.h"
#include "common/spec/normalise.h"
#include "common/spec/set_option.h"
#include "tests/unit/common/spec/job_text.h"

namespace traind::spec {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Read {
  v1::JobSpec spec;
  Origins origins;
  std::vector<FieldError> errors;
};
Read Json(const std::string& text, const std::string& task = "dqn") {
  Read read;
  read.errors = ReadHyperJson(text, "hyper.json", task, read.spec, read.origins);
  return read;
}
Read Set(const std::string& assignment) {
  Read read;
  read.errors = SetOption(assignment, read.spec, read.origins);
  return read;
}

TEST(Layers, TheNearerOneWins) {
  Origins origins;
  v1::JobSpec spec;
  ASSERT_THAT(ReadHyperJson(R"({"learning_rate": 0.5, "gamma": 0.5, "batch_size": 32})", "hyper.json", "dqn", spec, origins), IsEmpty());
  Origins file_origins;
  const v1::JobSpec file = ReadJob("dqn: {gamma: 0.6, batch_size: 16}\nlabels: {a: b}\n", nullptr, &file_origins);
  ASSERT_THAT(MergeOver(file, file_origins, spec, origins), IsEmpty());
  ASSERT_THAT(SetOption("dqn.batch_size=8", spec, origins), IsEmpty());
  const v1::JobSpec full = NormaliseJob(spec);
  EXPECT_DOUBLE_EQ(full.dqn().learning_rate(), .5);
  EXPECT_DOUBLE_EQ(full.dqn().gamma(), .6);
  EXPECT_EQ(full.dqn().batch_size(), 8);
  EXPECT_EQ(full.dqn().train_every(), 4);
  EXPECT_EQ(OriginOf(origins, "dqn.learning_rate"), "hyper.json");
  EXPECT_EQ(OriginOf(origins, "dqn.gamma"), "job.yaml:1");
  EXPECT_EQ(OriginOf(origins, "dqn.batch_size"), "--set");
  EXPECT_EQ(OriginOf(origins, "dqn.train_every"), "");
}

TEST(Layers, ListsAreReplacedAndMapsMerged) {
  Origins lower_origins, upper_origins;
  v1::JobSpec lower = ReadJob("dqn: {hidden: [1, 2, 3]}\nlabels: {a: x, b: y}\n", nullptr, &lower_origins);
  const v1::JobSpec upper = ReadJob("dqn: {hidden: [9]}\nlabels: {b: z}\n", nullptr, &upper_origins);
  ASSERT_THAT(MergeOver(upper, upper_origins, lower, lower_origins), IsEmpty());
  EXPECT_THAT(lower.dqn().hidden(), ::testing::ElementsAre(9));
  EXPECT_EQ(lower.labels().at("a"), "x");
  EXPECT_EQ(lower.labels().at("b"), "z");
}

TEST(Layers, TwoTasksAreAnError) {
  Origins lower_origins, upper_origins;
  v1::JobSpec lower = ReadJob("ppo: {}\n", nullptr, &lower_origins);
  const v1::JobSpec upper = ReadJob("dqn: {}\n", nullptr, &upper_origins);
  EXPECT_THAT(Lines(MergeOver(upper, upper_origins, lower, lower_origins)), HasSubstr("a job has one task"));
}

TEST(HyperJson, EveryOptimisersForm) {
  for (const char* text : {R"({"learning_rate": 0.001, "hidden": [32]})", R"({"dqn": {"learning_rate": 0.001, "hidden": [32]}})",
                           R"({"dqn.learning_rate": 0.001, "dqn.hidden": [32]})", R"({"dqn/learning_rate": 1e-3, "dqn/hidden": [32]})",
                           R"({"best_params": {"learning_rate": 0.001, "hidden": [32]}, "best_value": 3})",
                           R"({"params": {"learning_rate": "0.001", "hidden": "[32]"}})",
                           R"({"config": {"train_loop_config": {"learning_rate": {"value": 0.001}, "hidden": {"value": [32]}}}})",
                           R"([{"name": "learning_rate", "value": 0.001}, {"name": "hidden", "value": [32]}])"}) {
    const Read read = Json(text);
    EXPECT_THAT(read.errors, IsEmpty()) << text << "\n" << Lines(read.errors);
    EXPECT_DOUBLE_EQ(read.spec.dqn().learning_rate(), .001) << text;
    EXPECT_THAT(read.spec.dqn().hidden(), ::testing::ElementsAre(32)) << text;
    EXPECT_EQ(read.origins.at("dqn.learning_rate"), "hyper.json");
  }
}

TEST(HyperJson, SaysWhatIsWrong) {
  EXPECT_THAT(Lines(Json(R"({"learning_rat": 1})").errors), HasSubstr("learning_rate"));
  EXPECT_THAT(Lines(Json(R"({"learning_rate": 1, "dqn.learning_rate": 1})").errors), HasSubstr("twice"));
  EXPECT_THAT(Lines(Json(R"({"learning_rate": [1]})").errors), HasSubstr("dqn.learning_rate"));
  EXPECT_THAT(Lines(Json(R"({"instrument": "x"})").errors), HasSubstr("instrument"));
  for (const char* text : {"", "{", "[1, 2]", "null", "3", "{\"a\": 1} x", "{\"learning_rate\": 1, \"learning_rate\": 2}", "\xff"}) {
    EXPECT_FALSE(Json(text).errors.empty()) << text;
  }
  EXPECT_FALSE(Json(std::string(100'000, '[')).errors.empty());
}

TEST(SetOption, TextsNumbersListsAndEntries) {
  EXPECT_DOUBLE_EQ(Set("dqn.learning_rate=1e-3").spec.dqn().learning_rate(), 1e-3);
  EXPECT_THAT(Set("dqn.hidden=[128, 128]").spec.dqn().hidden(), ::testing::ElementsAre(128, 128));
  EXPECT_EQ(Set("display_name=a: b # c").spec.display_name(), "a: b # c");
  EXPECT_EQ(Set("display_name=007").spec.display_name(), "007");
  EXPECT_EQ(Set("labels.team=fx").spec.labels().at("team"), "fx");
  EXPECT_EQ(Set("data.sources[0].path=m:x.csv").spec.data().sources(0).path(), "m:x.csv");
  EXPECT_EQ(Set("display_name=a=b").spec.display_name(), "a=b");
}

TEST(SetOption, SaysWhatIsWrong) {
  for (const auto& [assignment, part] :
       std::initializer_list<std::pair<const char*, const char*>>{{"dqn.learning_rate", "path=value"},
                                                                  {"=3", "path=value"},
                                                                  {"dqn.learning_rat=3", "learning_rate"},
                                                                  {"dqn.learning_rate=x", "dqn.learning_rate"},
                                                                  {"dqn=3", "dqn"},
                                                                  {"data.sources[7].path=m:x", "data.sources"},
                                                                  {"data.sources[-1].path=m:x", "data.sources"},
                                                                  {"data.sources[99999999999999999999].path=x", "data.sources"},
                                                                  {"dqn.hidden=[1", "dqn.hidden"},
                                                                  {"a..b=3", "a"},
                                                                  {"\xff=3", "path=value"}}) {
    const Read read = Set(assignment);
    ASSERT_FALSE(read.errors.empty()) << assignment;
    EXPECT_THAT(Lines(read.errors), HasSubstr(part)) << assignment;
  }
}

}  // namespace
}  // namespace traind::spec
