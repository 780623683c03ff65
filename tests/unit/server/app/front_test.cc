#include "server/app/front.h"

#include <fcntl.h>

#include <filesystem>

#include "common/rpc/channel.h"
#include "grpc/support/time.h"
#include "httplib.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/in_memory_job_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "tests/unit/server/fakes/fake_supervisor.h"

namespace traind::server::app {
namespace {

using ::testing::HasSubstr;
using testing::StatusCodeIs;
using testing::StatusIs;

class FrontTest : public ::testing::Test {
 protected:
  FrontOptions Options(const std::string& name = "a") const {
    FrontOptions options;
    options.socket = (folder_ / (name + ".sock")).string();
    options.worker_socket = (folder_ / (name + ".worker")).string();
    options.http_host = "127.0.0.1";
    options.http_file = (folder_ / (name + ".http")).string();
    options.api.version = "9";
    options.api.state_folder = folder_.path().string();
    return options;
  }
  absl::StatusOr<std::unique_ptr<Front>> Start(FrontOptions options) {
    return Front::Start(std::move(options), metrics_, store_, supervisor_, clock_, log_);
  }
  bool Exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  v1::Cluster GetCluster(const std::string& socket) const {
    grpc::ClientContext context;
    context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(10, GPR_TIMESPAN)));
    v1::Cluster cluster;
    EXPECT_TRUE(v1::ClusterService::NewStub(rpc::UnixChannel(socket))->GetCluster(&context, {}, &cluster).ok());
    return cluster;
  }

  const testing::TempDir folder_;
  const testing::FakeClock clock_;
  const os::UniqueFd dev_null_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  obs::Logger log_{{.fd = dev_null_.get()}, clock_};
  obs::Metrics metrics_;
  testing::InMemoryJobStore store_{clock_};
  fakes::FakeSupervisor supervisor_;
};

TEST_F(FrontTest, AnswersOnAllItsListeners) {
  ASSERT_OK_AND_ASSIGN(const auto front, Start(Options()));
  front->OpenToWorkers();
  EXPECT_EQ(GetCluster(Options().socket).http_address(), front->http_address());
  EXPECT_EQ(testing::ReadFile(Options().http_file), front->http_address() + "\n");
  httplib::Client http("http://" + front->http_address());
  EXPECT_EQ(http.Get("/healthz")->body, "ok\n");
  EXPECT_THAT(http.Get("/metrics")->body, HasSubstr("traind_devices"));
  EXPECT_THAT(http.Get("/sd")->body, HasSubstr("\"job_id\":\"dqn-a\""));
  EXPECT_EQ(http.Get("/jobs")->status, 404);
  struct stat facts {};
  ASSERT_EQ(::stat(Options().worker_socket.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(Options().socket.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0660u);
}

TEST_F(FrontTest, StopLeavesNothingBehind) {
  ASSERT_OK_AND_ASSIGN(const auto front, Start(Options()));
  front->OpenToWorkers();
  front->Stop(absl::Seconds(1));
  front->Stop(absl::Seconds(1));
  for (const char* name : {"a.sock", "a.worker", "a.http"}) EXPECT_FALSE(Exists(name)) << name;
}

TEST_F(FrontTest, WhatIsTakenIsASentenceAndNothingIsLeftBehind) {
  ASSERT_OK_AND_ASSIGN(const auto front, Start(Options()));
  FrontOptions same_socket = Options("b");
  same_socket.socket = Options().socket;
  EXPECT_THAT(Start(same_socket), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("a.sock")));
  FrontOptions same_port = Options("b");
  same_port.http_port = std::stoi(front->http_address().substr(front->http_address().find(':') + 1));
  EXPECT_THAT(Start(same_port), StatusIs(absl::StatusCode::kUnavailable, HasSubstr(front->http_address())));
  FrontOptions long_path = Options("b");
  long_path.socket = (folder_ / std::string(120, 'x')).string();
  EXPECT_THAT(Start(long_path), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_FALSE(Exists("b.sock"));
  EXPECT_FALSE(Exists("b.http"));
  EXPECT_EQ(GetCluster(Options().socket).version(), "9");
}

TEST_F(FrontTest, StartsWhereItsAddressCannotBeWritten) {
  FrontOptions options = Options();
  options.http_file = (folder_ / "missing/http").string();
  ASSERT_OK_AND_ASSIGN(const auto front, Start(options));
  EXPECT_EQ(GetCluster(options.socket).version(), "9");
}

TEST_F(FrontTest, SocketIsOpenToAllOnlyWhereAListSaysWhoMayComeIn) {
  FrontOptions options = Options();
  options.uids = {12345};
  ASSERT_OK_AND_ASSIGN(const auto front, Start(options));
  struct stat facts {};
  ASSERT_EQ(::stat(options.socket.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0666u);
}

}  // namespace
}  // namespace traind::server::app
