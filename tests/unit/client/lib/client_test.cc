// What the client does when the daemon is away, late, or breaks off.
#include "client/lib/client.h"

#include <set>
#include <thread>

#include "absl/time/clock.h"
#include "client/lib/errors.h"
#include "client/lib/request_id.h"
#include "client/lib/sha256.h"
#include "common/base/status.h"
#include "tests/testing/status_matchers.h"
#include "tests/unit/client/scripted_service.h"

namespace traind::client {
namespace {

using ::testing::HasSubstr;

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override { Connect(daemon_.address()); }
  void Connect(const std::string& address) {
    auto client = Client::Connect({.address = address, .clock = &clock_, .interrupt = &interrupt_, .sleep = [this](absl::Duration) {
                                     ++pauses_;
                                     return !interrupt_.triggered();
                                   }});
    ASSERT_OK(client);
    client_ = *std::move(client);
  }
  JobClient& jobs() { return client_->jobs(); }

  SystemClock clock_;
  Interrupt interrupt_;
  std::atomic<int> pauses_ = 0;
  ScriptedDaemon daemon_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, RepeatsWithTheSameRequestId) {
  std::set<std::string> ids;
  daemon_.jobs.create = [&](int call, const v1::CreateJobRequest& request, v1::Job* job) {
    ids.insert(request.request_id());
    if (call < 3) return Unavailable();
    job->set_name("jobs/a");
    return grpc::Status::OK;
  };
  v1::CreateJobRequest request;
  request.set_request_id(NewRequestId());
  ASSERT_OK_AND_ASSIGN(const v1::Job job, jobs().Create(request));
  EXPECT_EQ(job.name(), "jobs/a");
  EXPECT_EQ(ids.size(), 1u);
  EXPECT_EQ(daemon_.jobs.calls(), 3);
  EXPECT_EQ(pauses_, 2);
}

TEST_F(ClientTest, GivesUpWithTheAddress) {
  daemon_.jobs.get = [](int, const v1::GetJobRequest&, v1::Job*) { return Unavailable(); };
  const absl::Status status = jobs().Get("jobs/a").status();
  EXPECT_EQ(ReasonOf(status), kUnreachable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(daemon_.address()));
  EXPECT_EQ(daemon_.jobs.calls(), 5);
}

TEST_F(ClientTest, NobodyAtTheAddress) {
  Connect("/nowhere/traind.sock");
  const absl::Status status = jobs().Get("jobs/a").status();
  EXPECT_EQ(ReasonOf(status), kUnreachable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/traind.sock"));
}

TEST_F(ClientTest, AnswersAreNotRepeated) {
  daemon_.jobs.get = [](int, const v1::GetJobRequest&, v1::Job*) { return grpc::Status(grpc::StatusCode::NOT_FOUND, "no job a"); };
  EXPECT_TRUE(absl::IsNotFound(jobs().Get("jobs/a").status()));
  EXPECT_EQ(daemon_.jobs.calls(), 1);
}

TEST_F(ClientTest, ReadsEveryPage) {
  daemon_.jobs.list = [](int call, const v1::ListJobsRequest& request, v1::ListJobsResponse* page) {
    EXPECT_EQ(request.page_token(), call == 1 ? "" : absl::StrCat("after ", call - 1));
    page->add_jobs()->set_name(absl::StrCat("jobs/", call));
    if (call < 3) page->set_next_page_token(absl::StrCat("after ", call));
    return grpc::Status::OK;
  };
  ASSERT_OK_AND_ASSIGN(const std::vector<v1::Job> all, jobs().List(""));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].name(), "jobs/3");
}

// The stream breaks in every way; the reader sees each byte once.
TEST_F(ClientTest, LogsGoOnWhereTheyBroke) {
  const std::string whole = "abcdefghijklmnop";
  daemon_.jobs.logs = [&](int call, const v1::StreamLogsRequest& request, grpc::ServerWriter<v1::StreamLogsResponse>* writer) {
    const size_t from = request.resume_token().empty() ? 0 : std::stoul(request.resume_token());
    // The third answer starts two bytes early, as a restarted server may.
    const size_t start = call == 3 ? from - 2 : from;
    v1::StreamLogsResponse message;
    message.set_attempt(1);
    message.set_offset(static_cast<int64_t>(start));
    message.set_data(whole.substr(start, call == 4 ? std::string::npos : 6));
    message.set_resume_token(absl::StrCat(start + message.data().size()));
    message.set_end(call == 4);
    writer->Write(message);
    v1::StreamLogsResponse beat;
    beat.set_heartbeat(true);
    if (call < 4) writer->Write(beat);
    if (call == 1) return Unavailable();
    return call == 2 ? grpc::Status(grpc::StatusCode::UNKNOWN, "Stream removed") : grpc::Status::OK;
  };
  std::string got;
  const auto stream = jobs().Logs({});
  for (;;) {
    ASSERT_OK_AND_ASSIGN(const auto message, stream->Next());
    if (!message.has_value()) break;
    got += message->data();
  }
  EXPECT_EQ(got, whole);
  EXPECT_EQ(daemon_.jobs.calls(), 4);
}

TEST_F(ClientTest, AStreamThatIsRefusedSaysWhy) {
  daemon_.jobs.logs = [](int, const v1::StreamLogsRequest&, grpc::ServerWriter<v1::StreamLogsResponse>*) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "no job a");
  };
  EXPECT_TRUE(absl::IsNotFound(jobs().Logs({})->Next().status()));
  EXPECT_EQ(daemon_.jobs.calls(), 1);
}

// A token that the server no longer knows: the watch starts anew instead of failing.
TEST_F(ClientTest, AWatchWithAnOldTokenStartsAnew) {
  std::vector<std::string> tokens;
  daemon_.jobs.watch = [&](int call, const v1::WatchJobsRequest& request, grpc::ServerWriter<v1::WatchJobsResponse>* writer) {
    tokens.push_back(request.resume_token());
    if (call == 2) return grpc::Status(grpc::StatusCode::OUT_OF_RANGE, "too old");
    v1::WatchJobsResponse message;
    message.mutable_job()->set_name(absl::StrCat("jobs/", call));
    message.set_resume_token("7");
    writer->Write(message);
    return Unavailable();
  };
  const auto stream = jobs().Watch("jobs/a", absl::InfiniteDuration());
  EXPECT_EQ((*stream->Next())->job().name(), "jobs/1");
  EXPECT_EQ((*stream->Next())->job().name(), "jobs/3");
  EXPECT_THAT(tokens, ::testing::ElementsAre("", "7", ""));
}

TEST_F(ClientTest, AWatchEndsInTime) {
  daemon_.jobs.watch = [](int, const v1::WatchJobsRequest&, grpc::ServerWriter<v1::WatchJobsResponse>* writer) {
    v1::WatchJobsResponse beat;
    beat.set_heartbeat(true);
    while (writer->Write(beat)) absl::SleepFor(absl::Milliseconds(5));
    return grpc::Status::OK;
  };
  const absl::Time start = absl::Now();
  EXPECT_EQ(ReasonOf(jobs().Watch("jobs/a", absl::Milliseconds(100))->Next().status()), kWaitTimeout);
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST_F(ClientTest, AnInterruptEndsWhatWaits) {
  daemon_.jobs.watch = [](int, const v1::WatchJobsRequest&, grpc::ServerWriter<v1::WatchJobsResponse>* writer) {
    v1::WatchJobsResponse beat;
    beat.set_heartbeat(true);
    while (writer->Write(beat)) absl::SleepFor(absl::Milliseconds(5));
    return grpc::Status::OK;
  };
  std::thread user([this] {
    absl::SleepFor(absl::Milliseconds(50));
    interrupt_.Trigger();
  });
  EXPECT_EQ(ReasonOf(jobs().Watch("jobs/a", absl::InfiniteDuration())->Next().status()), kInterrupted);
  user.join();
}

class DownloadTest : public ClientTest {
 protected:
  static std::string HashOf(const std::string& text) {
    Sha256 hash;
    hash.Update(text);
    return hash.Hex();
  }
  // Sends from the offset asked for, four bytes at a call; breaks off until the end.
  void Serve(const std::string& content, const std::string& hash) {
    daemon_.jobs.download = [=](int, const v1::DownloadArtifactRequest& request, grpc::ServerWriter<v1::DownloadArtifactResponse>* writer) {
      v1::DownloadArtifactResponse piece;
      piece.set_offset(request.offset());
      piece.set_data(content.substr(static_cast<size_t>(request.offset()), 4));
      const bool last = request.offset() + 4 >= static_cast<int64_t>(content.size());
      if (last) {
        piece.set_end(true);
        piece.set_sha256(hash);
        piece.set_size_bytes(static_cast<int64_t>(content.size()));
      }
      writer->Write(piece);
      return last ? grpc::Status::OK : Unavailable();
    };
  }
  absl::Status Download(std::string& got) {
    return jobs().Download("jobs/a", "report.json", [&](absl::string_view piece) {
      got.append(piece.data(), piece.size());
      return absl::OkStatus();
    });
  }
};

TEST_F(DownloadTest, ComesWholeInSpiteOfBreaks) {
  Serve("0123456789", HashOf("0123456789"));
  std::string got;
  EXPECT_OK(Download(got));
  EXPECT_EQ(got, "0123456789");
  EXPECT_EQ(daemon_.jobs.calls(), 3);
}

TEST_F(DownloadTest, OtherBytesAreNotTakenForTheFile) {
  Serve("0123456789", HashOf("something else"));
  std::string got;
  EXPECT_TRUE(absl::IsDataLoss(Download(got)));
}

TEST_F(DownloadTest, AnEmptyFile) {
  Serve("", HashOf(""));
  std::string got = "x";
  EXPECT_OK(Download(got));
  EXPECT_EQ(got, "x");
}

TEST(NewRequestId, IsARandomUuid) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = NewRequestId();
    EXPECT_EQ(id.size(), 36u);
    EXPECT_EQ(id[14], '4');
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 1000u);
}

}  // namespace
}  // namespace traind::client
