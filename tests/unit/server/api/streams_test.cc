#include <atomic>

#include "common/obs/metric_history.h"
#include "common/os/bounded_log.h"
#include "common/os/files.h"
#include "tests/unit/server/api/api_harness.h"

namespace traind::server::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::StatusCodeIs;

class StreamsTest : public ApiTest {
 protected:
  template <typename Response>
  struct Open {
    Open() { SetDeadline(context, 20); }
    Response Next() {
      Response response;
      EXPECT_TRUE(reader->Read(&response)) << Finish();
      return response;
    }
    // The next message that is not a heartbeat.
    Response NextReal() {
      for (;;) {
        Response response = Next();
        if (!response.heartbeat()) return response;
      }
    }
    absl::Status Finish() {
      Response response;
      while (reader->Read(&response)) {
      }
      status = reader->Finish();
      return rpc::FromGrpc(status);
    }
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<Response>> reader;
    grpc::Status status;
  };

  std::unique_ptr<Open<v1::WatchJobsResponse>> Watch(const std::string& name = "", const std::string& token = "") {
    v1::WatchJobsRequest request;
    request.set_name(name);
    request.set_resume_token(token);
    auto open = std::make_unique<Open<v1::WatchJobsResponse>>();
    open->reader = jobs_->WatchJobs(&open->context, request);
    return open;
  }
  std::unique_ptr<Open<v1::StreamLogsResponse>> Logs(const v1::StreamLogsRequest& request) {
    auto open = std::make_unique<Open<v1::StreamLogsResponse>>();
    open->reader = jobs_->StreamLogs(&open->context, request);
    return open;
  }
  static v1::StreamLogsRequest LogsOf(const std::string& job, bool follow) {
    v1::StreamLogsRequest request;
    request.set_name("jobs/" + job);
    request.set_follow(follow);
    return request;
  }
  os::BoundedLogWriter Log(const std::string& job, int attempt, int64_t max_bytes = 1 << 20) {
    const std::string folder = absl::StrCat(api_.JobFolder(JobId(job)), "/attempts/", attempt, "/rank0");
    if (!os::MakeFolders(folder).ok()) std::abort();
    return os::BoundedLogWriter::Open(folder + "/log", max_bytes).value();
  }
  // All bytes of a stream that ends.
  static std::string Drain(Open<v1::StreamLogsResponse>& open) {
    std::string text;
    for (;;) {
      const v1::StreamLogsResponse message = open.NextReal();
      text += message.data();
      if (message.end()) return text;
    }
  }
};

TEST_F(StreamsTest, WatchTellsWhatIsThenTheMarkThenChanges) {
  Put("a");
  Put("b");
  const auto watch = Watch();
  EXPECT_EQ(watch->Next().job().name(), "jobs/a");
  EXPECT_EQ(watch->Next().job().name(), "jobs/b");
  const v1::WatchJobsResponse mark = watch->Next();
  EXPECT_TRUE(mark.synced());
  EXPECT_EQ(mark.resume_token(), "2");
  store_.Set(JobId("a"), domain::JobState::kStarting);
  const v1::WatchJobsResponse change = watch->NextReal();
  EXPECT_EQ(change.job().name(), "jobs/a");
  EXPECT_EQ(change.job().state(), v1::Job::STARTING);
  EXPECT_EQ(change.resume_token(), "3");
}

TEST_F(StreamsTest, WatchResumesAfterItsTokenAndCoalesces) {
  Put("a");
  Put("b");
  store_.Set(JobId("a"), domain::JobState::kStarting);
  store_.Set(JobId("a"), domain::JobState::kRunning);
  ASSERT_OK(store_.Mutate(JobId("b"),
                          [](domain::Job& job) {
                            job.state = domain::JobState::kCancelled;
                            return absl::OkStatus();
                          },
                          {}));
  ASSERT_OK(store_.Delete(JobId("b"), {}));
  const auto watch = Watch("", "2");
  const v1::WatchJobsResponse first = watch->Next();
  EXPECT_EQ(first.job().state(), v1::Job::RUNNING);
  EXPECT_EQ(first.resume_token(), "2");  // the round goes on
  const v1::WatchJobsResponse second = watch->Next();
  EXPECT_TRUE(second.deleted());
  EXPECT_EQ(second.job().name(), "jobs/b");
  EXPECT_EQ(second.resume_token(), "6");
  EXPECT_TRUE(watch->Next().synced());
}

TEST_F(StreamsTest, WatchOfOneJobIsOnlyAboutIt) {
  Put("a");
  Put("b");
  const auto watch = Watch("jobs/b");
  EXPECT_EQ(watch->Next().job().name(), "jobs/b");
  EXPECT_TRUE(watch->Next().synced());
  store_.Set(JobId("a"), domain::JobState::kStarting);
  store_.Set(JobId("b"), domain::JobState::kStarting);
  EXPECT_EQ(watch->NextReal().job().name(), "jobs/b");
  EXPECT_THAT(Watch("jobs/c")->Finish(), StatusCodeIs(absl::StatusCode::kNotFound));
}

TEST_F(StreamsTest, WatchTellsProgressAtMostOnceASecond) {
  const JobId job = Put("a", domain::JobState::kRunning, 1);
  supervisor_.SetSlots({{"cpu0", "cpu", "jobs/a"}});
  supervisor_.SetProgress(job, 1);
  const auto watch = Watch();
  EXPECT_EQ(watch->Next().job().progress().step(), 1);
  EXPECT_TRUE(watch->Next().synced());
  EXPECT_EQ(watch->NextReal().job().progress().step(), 1);
  supervisor_.SetProgress(job, 2);
  supervisor_.SetProgress(job, 3);
  clock_.Advance(absl::Seconds(2));
  EXPECT_EQ(watch->NextReal().job().progress().step(), 3);
}

TEST_F(StreamsTest, WatchTokensThatAreOldOrNoneAreRefused) {
  for (int i = 0; i < kEventsKept + 5; ++i) Put(absl::StrCat("j", i));
  EXPECT_THAT(Watch("", "1")->Finish(), StatusCodeIs(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(Watch("", "99999")->Finish(), StatusCodeIs(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(Watch("", "x")->Finish(), StatusCodeIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(StreamsTest, SilentStreamsSpeakAtOnceAndEvery15Seconds) {
  Put("a", domain::JobState::kRunning, 1);
  const auto logs = Logs(LogsOf("a", true));
  EXPECT_TRUE(logs->Next().heartbeat());
  clock_.Advance(absl::Seconds(16));
  EXPECT_TRUE(logs->Next().heartbeat());
}

TEST_F(StreamsTest, LogsAreFollowedToTheEndOfTheJobOverAllAttempts) {
  const JobId job = Put("a", domain::JobState::kRunning, 1);
  os::BoundedLogWriter first = Log("a", 1);
  ASSERT_OK(first.Append("one\n"));
  const auto logs = Logs(LogsOf("a", true));
  EXPECT_EQ(logs->NextReal().data(), "one\n");
  ASSERT_OK(first.Append("two\n"));
  EXPECT_EQ(logs->NextReal().data(), "two\n");
  os::BoundedLogWriter second = Log("a", 2);
  ASSERT_OK(second.Append("three\n"));
  ASSERT_OK(store_.Mutate(job,
                          [](domain::Job& changed) {
                            changed.attempts.back().state = domain::AttemptState::kEnded;
                            changed.attempts.push_back({.number = AttemptId(2), .state = domain::AttemptState::kRunning});
                            return absl::OkStatus();
                          },
                          {}));
  const v1::StreamLogsResponse third = logs->NextReal();
  EXPECT_EQ(third.data(), "three\n");
  EXPECT_EQ(third.attempt(), 2);
  EXPECT_EQ(third.offset(), 0);
  ASSERT_OK(second.Append("four\n"));
  EndJob(job, domain::JobState::kFailed);
  EXPECT_EQ(logs->NextReal().data(), "four\n");
  const v1::StreamLogsResponse end = logs->NextReal();
  EXPECT_TRUE(end.end());
  EXPECT_EQ(end.final_state(), v1::Job::FAILED);
  EXPECT_OK(logs->Finish());
}

TEST_F(StreamsTest, LogsResumeWhereTheyWere) {
  Put("a", domain::JobState::kSucceeded, 1);
  os::BoundedLogWriter log = Log("a", 1);
  ASSERT_OK(log.Append("hello "));
  v1::StreamLogsRequest request = LogsOf("a", false);
  const std::string token = Logs(request)->Next().resume_token();
  EXPECT_EQ(token, "1:6");
  ASSERT_OK(log.Append("world"));
  request.set_resume_token(token);
  const auto resumed = Logs(request);
  const v1::StreamLogsResponse message = resumed->Next();
  EXPECT_EQ(message.data(), "world");
  EXPECT_EQ(message.offset(), 6);
  EXPECT_TRUE(resumed->Next().end());
  request.set_resume_token("1:4711");
  EXPECT_THAT(Logs(request)->Finish(), StatusCodeIs(absl::StatusCode::kOutOfRange));
  request.set_resume_token("2:0");
  EXPECT_THAT(Logs(request)->Finish(), StatusCodeIs(absl::StatusCode::kOutOfRange));
  request.set_resume_token("gibberish");
  EXPECT_THAT(Logs(request)->Finish(), StatusCodeIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(StreamsTest, LogsCountWhatTheBoundDropped) {
  Put("a", domain::JobState::kSucceeded, 1);
  os::BoundedLogWriter log = Log("a", 1, 64);
  for (int i = 0; i < 50; ++i) ASSERT_OK(log.Append("0123456789"));
  const auto logs = Logs(LogsOf("a", false));
  const v1::StreamLogsResponse message = logs->Next();
  EXPECT_GT(message.dropped_bytes(), 400);
  EXPECT_EQ(message.dropped_bytes(), message.offset());
}

TEST_F(StreamsTest, TailShowsTheLastLines) {
  Put("a", domain::JobState::kSucceeded, 1);
  os::BoundedLogWriter log = Log("a", 1);
  std::string text;
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&text, "line ", i, "\n");  // several chunks
  ASSERT_OK(log.Append(text));
  v1::StreamLogsRequest request = LogsOf("a", false);
  request.set_tail_lines(2);
  EXPECT_EQ(Drain(*Logs(request)), "line 19998\nline 19999\n");
  request.set_tail_lines(15'000);
  EXPECT_EQ(Drain(*Logs(request)), text.substr(text.find("line 5000\n")));
  request.set_tail_lines(100'000);
  EXPECT_EQ(Drain(*Logs(request)), text);
  ASSERT_OK(log.Append("unfinished"));
  request.set_tail_lines(2);
  EXPECT_EQ(Drain(*Logs(request)), "line 19999\nunfinished");
}

TEST_F(StreamsTest, LogsOfWhatIsNotThereAreRefused) {
  Put("a");
  EXPECT_THAT(Logs(LogsOf("b", false))->Finish(), StatusCodeIs(absl::StatusCode::kNotFound));
  v1::StreamLogsRequest request = LogsOf("a", false);
  request.set_rank(1);
  EXPECT_THAT(Logs(request)->Finish(), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  request.set_rank(0);
  request.set_attempt(3);
  EXPECT_THAT(Logs(request)->Finish(), StatusCodeIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(Drain(*Logs(LogsOf("a", false))), "");  // not started yet
}

TEST_F(StreamsTest, MetricsComeInRowsAndResume) {
  const JobId job = Put("a", domain::JobState::kRunning, 1);
  ASSERT_OK(os::MakeFolders(api_.JobFolder(job) + "/metrics"));
  ASSERT_OK_AND_ASSIGN(obs::MetricHistoryWriter writer, obs::MetricHistoryWriter::Open(api_.JobFolder(job) + "/metrics/1"));
  ASSERT_OK(writer.Append({10, 1, clock_.Now(), {{"loss", .5}, {"epsilon", .1}}}));
  v1::StreamMetricsRequest request;
  request.set_name("jobs/a");
  request.set_follow(true);
  request.add_metrics("loss");
  Open<v1::StreamMetricsResponse> metrics;
  metrics.reader = jobs_->StreamMetrics(&metrics.context, request);
  const v1::StreamMetricsResponse first = metrics.NextReal();
  ASSERT_EQ(first.points_size(), 1);
  EXPECT_EQ(first.points(0).step(), 10);
  EXPECT_EQ(first.points(0).values().size(), 1u);
  EXPECT_EQ(first.points(0).values().at("loss"), .5);
  ASSERT_OK(writer.Append({20, 1, clock_.Now(), {{"loss", .25}}}));
  EXPECT_EQ(metrics.NextReal().points(0).step(), 20);
  EndJob(job, domain::JobState::kSucceeded);
  EXPECT_EQ(metrics.NextReal().final_state(), v1::Job::SUCCEEDED);
  EXPECT_OK(metrics.Finish());
  request.set_resume_token(first.resume_token());
  Open<v1::StreamMetricsResponse> resumed;
  resumed.reader = jobs_->StreamMetrics(&resumed.context, request);
  EXPECT_EQ(resumed.NextReal().points(0).step(), 20);
  EXPECT_TRUE(resumed.NextReal().end());
}

TEST_F(StreamsTest, TokensOfAttemptsThatAreNotThereAreRefused) {
  const JobId job = Put("a", domain::JobState::kCancelled, 0);
  v1::StreamMetricsRequest metrics_request;
  metrics_request.set_name("jobs/a");
  metrics_request.set_follow(true);
  metrics_request.set_resume_token("5:0");
  Open<v1::StreamMetricsResponse> metrics;
  metrics.reader = jobs_->StreamMetrics(&metrics.context, metrics_request);
  EXPECT_THAT(metrics.Finish(), StatusCodeIs(absl::StatusCode::kOutOfRange));
  v1::StreamLogsRequest logs_request;
  logs_request.set_name("jobs/a");
  logs_request.set_resume_token("1:0");
  Open<v1::StreamLogsResponse> logs;
  logs.reader = jobs_->StreamLogs(&logs.context, logs_request);
  EXPECT_THAT(logs.Finish(), StatusCodeIs(absl::StatusCode::kOutOfRange));
}

class DownloadTest : public StreamsTest {
 protected:
  struct Got {
    absl::Status status;
    std::string data;
    std::string sha256;
    size_t largest = 0;
  };
  Got Download(const std::string& path, int64_t offset = 0) {
    v1::DownloadArtifactRequest request;
    request.set_parent("jobs/a");
    request.set_path(path);
    request.set_offset(offset);
    grpc::ClientContext context;
    SetDeadline(context, 20);
    const auto reader = jobs_->DownloadArtifact(&context, request);
    Got got;
    v1::DownloadArtifactResponse message;
    while (reader->Read(&message)) {
      got.data += message.data();
      got.largest = std::max(got.largest, message.data().size());
      if (message.end()) got.sha256 = message.sha256();
    }
    got.status = rpc::FromGrpc(reader->Finish());
    return got;
  }
};

TEST_F(DownloadTest, ComesInChunksWithItsHash) {
  Put("a", domain::JobState::kSucceeded, 1);
  std::string content(3'500'000, 'x');
  for (size_t i = 0; i < content.size(); i += 1000) content[i] = static_cast<char>(i / 1000);
  folder_.Write("state/jobs/a/artifacts/big", content);
  folder_.Write("state/jobs/a/artifacts/empty", "");
  const Got whole = Download("big");
  EXPECT_OK(whole.status);
  EXPECT_EQ(whole.data, content);
  EXPECT_EQ(whole.sha256, os::Sha256Hex(content));
  EXPECT_LE(whole.largest, size_t{1} << 20);
  const Got rest = Download("big", 3'000'000);
  EXPECT_EQ(rest.data, content.substr(3'000'000));
  EXPECT_EQ(rest.sha256, whole.sha256);
  EXPECT_EQ(Download("empty").sha256, os::Sha256Hex(""));
}

TEST_F(DownloadTest, LeavesTheFolderNowhere) {
  Put("a", domain::JobState::kSucceeded, 1);
  folder_.Write("state/jobs/a/artifacts/x", "x");
  folder_.Write("state/jobs/a/spec.yaml", "secret");
  std::filesystem::create_symlink("../spec.yaml", folder_ / "state/jobs/a/artifacts/link");
  for (const char* path : {"../spec.yaml", "link", "/etc/passwd", ".", "..", ""}) {
    const Got got = Download(path);
    EXPECT_FALSE(got.status.ok()) << path;
    EXPECT_EQ(got.data, "") << path;
  }
  EXPECT_THAT(Download("nothing").status, StatusCodeIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Download("x", 2).status, StatusCodeIs(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(Download("x", -1).status, StatusCodeIs(absl::StatusCode::kOutOfRange));
}

TEST_F(StreamsTest, TooManyStreamsOfOneUserAreRefused) {
  Put("a", domain::JobState::kRunning, 1);
  std::vector<std::unique_ptr<Open<v1::WatchJobsResponse>>> open;
  for (int i = 0; i < kStreamsPerUser; ++i) {
    open.push_back(Watch());
    open.back()->Next();
  }
  const absl::Status status = Watch()->Finish();
  EXPECT_THAT(status, StatusCodeIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(ReasonOf(status), "STREAM_LIMIT");
  open.back()->context.TryCancel();
  EXPECT_FALSE(open.back()->Finish().ok());
  // Its place is free once the daemon has noticed.
  for (;;) {
    const auto again = Watch();
    v1::WatchJobsResponse message;
    if (again->reader->Read(&message)) break;
    ASSERT_THAT(again->Finish(), StatusCodeIs(absl::StatusCode::kResourceExhausted));
  }
}

TEST_F(StreamsTest, ReaderThatDoesNotReadCostsLittleAndGetsEverything) {
  Put("a", domain::JobState::kSucceeded, 1);
  os::BoundedLogWriter log = Log("a", 1, 64 << 20);
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) ASSERT_OK(log.Append(megabyte));
  const auto slow = Logs(LogsOf("a", true));
  EXPECT_GT(slow->NextReal().data().size(), 0u);
  // Others are served meanwhile.
  const auto other = Watch();
  EXPECT_EQ(other->Next().job().name(), "jobs/a");
  EXPECT_GT(Drain(*slow).size(), size_t{19} << 20);
}

TEST_F(StreamsTest, HundredOpenStreamsEndAtOnceWithTheirTokens) {
  Put("a", domain::JobState::kRunning, 1);
  os::BoundedLogWriter log = Log("a", 1, 64 << 20);
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 8; ++i) ASSERT_OK(log.Append(megabyte));
  std::vector<std::unique_ptr<Open<v1::WatchJobsResponse>>> watches;
  std::vector<std::unique_ptr<Open<v1::StreamLogsResponse>>> logs;
  for (int i = 0; i < 50; ++i) {
    watches.push_back(Watch());
    watches.back()->Next();
    EXPECT_TRUE(watches.back()->Next().synced());
    logs.push_back(Logs(LogsOf("a", true)));  // nobody reads these
    logs.back()->NextReal();
  }
  const SystemClock clock;
  const absl::Duration start = clock.Steady();
  streams_.EndAll();
  server_->Shutdown(absl::Seconds(2));
  EXPECT_LT(clock.Steady() - start, absl::Seconds(10));
  for (const auto& watch : watches) {
    const absl::Status status = watch->Finish();
    EXPECT_THAT(status, StatusCodeIs(absl::StatusCode::kUnavailable));
    EXPECT_EQ(ReasonOf(status), "SHUTTING_DOWN");
    EXPECT_EQ(rpc::MetadataOf(watch->status)["resume_token"], "1");
  }
  for (const auto& open : logs) EXPECT_FALSE(open->Finish().ok());
  const auto late = Watch();
  EXPECT_THAT(late->Finish(), StatusCodeIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace traind::server::api
