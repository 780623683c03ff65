// What terminals show: never wider than they are, never what they would obey.
#include <sstream>

#include "client/trainctl/data_paths.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/progress.h"
#include "client/trainctl/report_view.h"
#include "client/trainctl/table.h"
#include "client/trainctl/text.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::client::trainctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::Job RunningJob() {
  v1::Job job;
  job.set_name("jobs/dqn-a");
  job.set_state(v1::Job::RUNNING);
  v1::Progress& progress = *job.mutable_progress();
  progress.set_step(84'000);
  progress.set_total_steps(200'000);
  progress.set_fold(3);
  progress.set_total_folds(10);
  progress.set_steps_per_second(1234.5);
  progress.set_loss(.0123);
  progress.mutable_eta()->set_seconds(94);
  progress.set_phase("training");
  return job;
}

TEST(ProgressLine, HasEverythingWhereThereIsRoom) {
  EXPECT_EQ(ProgressLine(RunningJob(), 200),
            "fold 3/10  [████████────────────]  42 %  step 84,000/200,000  1,234 steps/s  loss 0.0123  ETA 1m 34s");
}

TEST(ProgressLine, FitsEveryWidth) {
  v1::Job waiting;
  waiting.set_state(v1::Job::PENDING);
  waiting.set_state_message("needs 2 slots (cpu), 1 free, 1 held by jobs/xé; position 3\x1b[2J");
  for (int width = 0; width < 130; ++width) {
    EXPECT_LE(DisplayWidth(ProgressLine(RunningJob(), width)), width);
    const std::string line = ProgressLine(waiting, width);
    EXPECT_LE(DisplayWidth(line), width);
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
  }
  EXPECT_EQ(ProgressLine(RunningJob(), 16), "fold 3/10  42 %");
}

TEST(ProgressDisplay, RedrawsInPlaceOnATerminal) {
  std::ostringstream stream;
  testing::FakeClock clock;
  {
    ProgressDisplay display(
        stream, true, [] { return 200; }, clock);
    display.Show(RunningJob());
    v1::Job next = RunningJob();
    next.mutable_progress()->set_step(85'000);
    display.Show(next);
  }
  EXPECT_THAT(stream.str(), Not(HasSubstr("\n")));
  EXPECT_THAT(stream.str(), ::testing::EndsWith("\r\x1b[K"));
}

TEST(ProgressDisplay, PlainLinesNowAndThen) {
  std::ostringstream stream;
  testing::FakeClock clock;
  ProgressDisplay display(
      stream, false, [] { return 80; }, clock);
  v1::Job job = RunningJob();
  for (int second = 0; second < 20; ++second) {
    job.mutable_progress()->set_step(84'000 + second);
    display.Show(job);
    clock.Advance(absl::Seconds(1));
  }
  const std::string text = stream.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("█")));
}

TEST(Table, AlignsAndCleans) {
  Table table({{"NAME"}, {"N", Align::kRight}});
  table.AddRow({"é", "1"});
  table.AddRow({"a\tb\x1b", ""});
  EXPECT_EQ(table.Render(2), "  NAME  N\n  é     1\n  a b   -\n");
}

TEST(Text, NumbersAndTimes) {
  EXPECT_EQ(CountText(-1234567), "-1,234,567");
  EXPECT_EQ(CountText(-123), "-123");
  EXPECT_EQ(BytesText(1536), "1.5 KiB");
  EXPECT_EQ(DurationText(absl::Hours(26)), "1d 02h");
  EXPECT_EQ(DurationText(-absl::Seconds(3)), "0s");
  EXPECT_EQ(DurationText(absl::InfiniteDuration()).substr(0, 3), "106");
}

TEST(ReportView, ShowsWhatIsThere) {
  EXPECT_TRUE(absl::IsDataLoss(RenderReport("{", {}).status()));
  for (const char* text : {"{}", "[]", "3", "null", R"({"stitched": 3, "folds": [1, {"instruments": 2}]})",
                           R"({"over_folds": {"policy": {"worst": {}, "mean": 3}}, "actions": {"all": [1, {"position": 2}]}})"}) {
    EXPECT_OK(RenderReport(text, {}));
  }
  ASSERT_OK_AND_ASSIGN(const std::string page, RenderReport(R"({"verdict": {"sentence": "It did not pay."},
      "stitched": {"equal_weight": {"policy": {"net_return": -0.22, "sharpe": -0.05, "bars": 2517}}}})",
                                                            {}));
  EXPECT_THAT(page, HasSubstr("-22.0 %"));
  EXPECT_THAT(page, Not(HasSubstr("Deflated")));
  EXPECT_THAT(page, ::testing::EndsWith("It did not pay.\n"));
}

TEST(ReportView, FiguresStandBesideEachOther) {
  v1::Job job;
  (*job.mutable_result())["trials"] = "7";
  (*job.mutable_result())["dsr"] = "0.6149";
  ASSERT_OK_AND_ASSIGN(const std::string page, RenderReport(R"({
      "stitched": {"equal_weight": {"policy": {"net_return": 0.1, "sortino": 1.5, "max_drawdown_bars": 1200},
                                    "flat": {"net_return": 0, "sortino": null, "max_drawdown_bars": 0}}},
      "over_folds": {"policy": {"mean": {"max_drawdown_bars": 12.5}, "worst": {"fold": 2, "name": "2004", "max_drawdown_bars": 20}}},
      "actions": {"all": [{"position": -1, "share": 0.25}, {"position": 0.5, "share": 0.75}]}})",
                                                            job));
  EXPECT_EQ(page,
            "Out of sample, all folds, instruments at equal weight, costs included\n"
            "  FIGURE              POLICY   FLAT\n"
            "  net return          10.0 %  0.0 %\n"
            "  Sortino, per year     1.50      -\n"
            "  its length in bars   1,200      0\n"
            "\n"
            "Policy fold by fold, instruments at equal weight; the worst is fold 2, 2004\n"
            "  FIGURE              MEAN FOLD  WORST FOLD\n"
            "  its length in bars       12.5          20\n"
            "\n"
            "Positions held, by share of bars: -1 25.0 %, 0.5 75.0 %\n"
            "Deflated Sharpe ratio 0.61 after 7 trials on these data\n");
  (*job.mutable_result())["trials"] = "1";
  EXPECT_THAT(*RenderReport("{}", job), HasSubstr("after 1 trial on"));
  (*job.mutable_result())["trials"] = "many";
  EXPECT_EQ(*RenderReport("{}", job), "");
}

TEST(JsonOutput, TakesAMemberThatIsJson) {
  ASSERT_OK_AND_ASSIGN(const std::string text, JsonTextWith(v1::GetJobRequest(), "report", R"({"folds": []})"));
  EXPECT_EQ(text, "{\n  \"name\": \"\",\n  \"report\": {\n    \"folds\": []\n  }\n}\n");
  EXPECT_TRUE(absl::IsDataLoss(JsonTextWith(v1::GetJobRequest(), "report", "{").status()));
}

class DataPathsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.Write("data/x.csv", "");
    folder_.Write("data/deep/y.csv", "");
    folder_.Write("jobs/z.csv", "");
  }
  std::string Path(const std::string& name) { return (folder_ / name).string(); }
  std::string Resolve(const std::string& path, std::vector<FieldError>* errors = nullptr) {
    v1::JobSpec spec;
    spec.mutable_data()->add_sources()->set_path(path);
    const PathBase base{
        .job_folder = Path("jobs"), .working_folder = Path("data"), .roots = {{"all", Path("data")}, {"deep", Path("data/deep")}}};
    const auto found = ResolveDataPaths(base, {{"data.sources[0].path", "job.yaml:3"}}, spec);
    if (errors != nullptr) *errors = found;
    return spec.data().sources(0).path();
  }
  testing::TempDir folder_;
};

TEST_F(DataPathsTest, FindTheirRoot) {
  EXPECT_EQ(Resolve("../data/x.csv"), "all:x.csv");
  EXPECT_EQ(Resolve(Path("data/x.csv")), "all:x.csv");
  EXPECT_EQ(Resolve("../data/deep/y.csv"), "deep:y.csv");
  EXPECT_EQ(Resolve("all:x.csv"), "all:x.csv");
}

TEST_F(DataPathsTest, SayWhichLineOfConfigurationHelps) {
  std::vector<FieldError> errors;
  Resolve("z.csv", &errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path, "data.sources[0].path");
  EXPECT_THAT(errors[0].message, HasSubstr(absl::StrCat("jobs: ", Path("jobs"))));
  Resolve("missing.csv", &errors);
  EXPECT_EQ(errors.size(), 1u);
}

}  // namespace
}  // namespace traind::client::trainctl
