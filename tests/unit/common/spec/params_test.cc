#include "common/spec/normalise.h"
#include "common/spec/to_params.h"
#include "common/spec/yaml_writer.h"
#include "tests/testing/status_matchers.h"
#include "tests/unit/common/spec/job_text.h"

namespace traind::spec {
namespace {

const char kJob[] =
    "display_name: 'x: y'\nlabels: {team: fx}\ndata:\n  sources:\n    - {path: m:x.csv}\n    - {path: m:y.csv, layout: wide}\n"
    "dqn: {learning_rate: 1e-3, hidden: [8]}\n";

TEST(ToParams, OneKeyPerFieldPath) {
  const Params params = ToParams(NormaliseJob(ReadJob(kJob)), {"dqn.learning_rate", "data.sources", "labels.team"});
  EXPECT_THAT(params.Get<double>("dqn.learning_rate"), testing::IsOkAndHolds(1e-3));
  EXPECT_THAT(params.Get<std::vector<int64_t>>("dqn.hidden"), testing::IsOkAndHolds(std::vector<int64_t>{8}));
  EXPECT_THAT(params.Get<std::string>("data.sources[1].layout"), testing::IsOkAndHolds("wide"));
  EXPECT_THAT(params.Get<std::string>("labels.team"), testing::IsOkAndHolds("fx"));
  EXPECT_THAT(params.Get<bool>("dqn.double_dqn"), testing::IsOkAndHolds(true));
  EXPECT_EQ(params.Count("data.sources"), 2);
}

// Only what the user set must be read; what lies in a list the user gave counts.
TEST(ToParams, KnowsWhatTheUserSet) {
  const Params params = ToParams(NormaliseJob(ReadJob(kJob)), {"dqn.learning_rate", "data.sources"});
  const absl::Status nothing_read = params.CheckAllRead();
  EXPECT_THAT(std::string(nothing_read.message()), ::testing::HasSubstr("dqn.learning_rate"));
  EXPECT_THAT(std::string(nothing_read.message()), ::testing::HasSubstr("data.sources[0].path"));
  EXPECT_THAT(std::string(nothing_read.message()), ::testing::Not(::testing::HasSubstr("dqn.gamma")));
  EXPECT_OK(params.Get<double>("dqn.learning_rate"));
  params.MarkRead("data.sources");
  EXPECT_OK(params.CheckAllRead());
}

TEST(YamlWriter, ReadsBackToTheSame) {
  for (const v1::JobSpec& spec : {ReadJob(kJob), NormaliseJob(ReadJob(kJob))}) {
    const v1::JobSpec back = ReadJob(ToYaml(spec));
    EXPECT_EQ(DeterministicBytes(back), DeterministicBytes(spec)) << ToYaml(spec);
  }
}

// Texts that look like something else stay texts.
TEST(YamlWriter, QuotesWhereItMust) {
  for (const char* text :
       {"null", "~", "true", "007", "1e3", "a: b", "a #b", "- a", "'", "\"", "{", "[", "&x", "*x", "!x", "é", " a", "a "}) {
    v1::JobSpec spec;
    spec.set_display_name(text);
    (*spec.mutable_labels())["k"] = text;
    const v1::JobSpec back = ReadJob(ToYaml(spec));
    EXPECT_EQ(back.display_name(), text);
    EXPECT_EQ(back.labels().at("k"), text);
  }
}

}  // namespace
}  // namespace traind::spec
