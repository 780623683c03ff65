#include <fcntl.h>

#include "common/obs/http_server.h"
#include "common/obs/logger.h"
#include "common/obs/metric_history.h"
#include "common/obs/metrics.h"
#include "httplib.h"
#include "nlohmann/json.hpp"
#include "tests/testing/fake_clock.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::obs {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TempDir;

std::string Logged(LoggerOptions options, absl::string_view message, const std::vector<LogField>& fields) {
  TempDir folder;
  const std::string path = folder.Write("log", "");
  const os::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  options.fd = fd.get();
  testing::FakeClock clock;
  Logger(options, clock).Info(message, fields);
  return testing::ReadFile(path);
}

TEST(Logger, TextLinesStayLines) {
  EXPECT_EQ(Logged({}, "job started", {{"job_id", "a"}, {"attempt", 2}, {"why", "two words\nand a line"}, {"rate", .5}}),
            "2023-11-14T22:13:20.000Z info job started job_id=a attempt=2 why=\"two words\\nand a line\" rate=0.5\n");
}

TEST(Logger, JsonLinesParse) {
  const auto line = nlohmann::json::parse(Logged({.format = LogFormat::kJson}, "x \xff", {{"ok", true}, {"n", 3}}));
  EXPECT_EQ(line["level"], "info");
  EXPECT_EQ(line["ok"], true);
  EXPECT_EQ(line["n"], 3);
}

TEST(Logger, LessSevereLinesAreDropped) { EXPECT_EQ(Logged({.level = Severity::kWarning}, "x", {}), ""); }

TEST(Metrics, TextHoldsValuesAndTheProcess) {
  Metrics metrics;
  metrics.AddCounter("traind_test_total", "Help.", {{"kind", "a"}}).Increment(2);
  metrics.AddHistogram("traind_test_seconds", "Help.", LatencyBuckets()).Observe(.0003);
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("# HELP traind_test_total Help."));
  EXPECT_THAT(text, HasSubstr("traind_test_total{kind=\"a\"} 2"));
  EXPECT_THAT(text, HasSubstr("traind_test_seconds_count 1"));
  for (const char* name :
       {"process_cpu_seconds_total ", "process_resident_memory_bytes ", "process_open_fds ", "process_start_time_seconds "}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
  EXPECT_THAT(text, EndsWith("\n"));
}

TEST(Metrics, GaugeTextEscapesAndSkipsTheEmpty) {
  EXPECT_EQ(GaugeText("traind_x", "h", {}), "");
  EXPECT_THAT(GaugeText("traind_x", "h", {{{{"a", "q\"q"}}, 1.5}}), HasSubstr("traind_x{a=\"q\\\"q\"} 1.5"));
}

TEST(HttpServer, AnswersOnAFreePortAndStops) {
  HttpServer server;
  server.Get("/healthz", [] { return HttpAnswer{.code = 503, .body = "not yet"}; });
  ASSERT_OK(server.Start("127.0.0.1", 0));
  httplib::Client client("http://" + server.address());
  const auto answer = client.Get("/healthz");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->body, "not yet");
  EXPECT_EQ(client.Get("/absent")->status, 404);
  client.stop();
  server.Shutdown();
  server.Shutdown();
}

TEST(HttpServer, TakenPortIsASentence) {
  HttpServer first, second;
  ASSERT_OK(first.Start("127.0.0.1", 0));
  const int port = std::stoi(first.address().substr(first.address().find(':') + 1));
  EXPECT_THAT(second.Start("127.0.0.1", port), testing::StatusIs(absl::StatusCode::kUnavailable, HasSubstr(first.address())));
}

TEST(MetricHistory, ReaderFollowsWholeRowsByOffset) {
  TempDir folder;
  const std::string path = (folder / "h").string();
  ASSERT_OK_AND_ASSIGN(const HistoryChunk none, ReadMetricHistory(path, 0, 1000));
  EXPECT_EQ(none.rows.size(), 0u);
  ASSERT_OK_AND_ASSIGN(MetricHistoryWriter writer, MetricHistoryWriter::Open(path));
  ASSERT_OK(writer.Append({.step = 5, .fold = 1, .time = absl::FromUnixMillis(7), .values = {{"loss", .25}, {"bad", std::nan("")}}}));
  ASSERT_OK_AND_ASSIGN(const HistoryChunk one, ReadMetricHistory(path, 0, 1000));
  ASSERT_EQ(one.rows.size(), 1u);
  EXPECT_EQ(one.rows[0].step, 5);
  EXPECT_EQ(one.rows[0].time, absl::FromUnixMillis(7));
  EXPECT_EQ(one.rows[0].values, (std::map<std::string, double>{{"loss", .25}}));

  // A row that is being written is not read yet; a broken one is passed over.
  const os::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  ASSERT_EQ(::write(fd.get(), "garbage\n{\"step\":6", 17), 17);
  ASSERT_OK_AND_ASSIGN(const HistoryChunk two, ReadMetricHistory(path, one.next_offset, 1000));
  EXPECT_EQ(two.rows.size(), 0u);
  EXPECT_EQ(two.next_offset, one.next_offset + 8);
}

}  // namespace
}  // namespace traind::obs
