#include <grp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/mutex.h"
#include "common/base/status.h"
#include "common/rpc/channel.h"
#include "common/rpc/status.h"
#include "common/rpc/unix_server.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "traind/v1/cluster.grpc.pb.h"
#include "traind/v1/job.pb.h"

namespace traind::rpc {
namespace {

using testing::StatusCodeIs;

TEST(Status, FieldErrorsReasonAndMetadataTravel) {
  const std::vector<FieldError> errors = {{"dqn.gamma", "must be below 1"}, {"seed", "is negative"}};
  const absl::Status sent = WithReason(FieldErrorsStatus(errors), "SPEC_INVALID");
  const absl::Status received = FromGrpc(ToGrpc(sent, {{"resume_token", "7"}}));
  EXPECT_EQ(received.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(received.message(), sent.message());
  EXPECT_EQ(FieldErrorsOf(received), errors);
  EXPECT_EQ(ReasonOf(received), "SPEC_INVALID");
  EXPECT_EQ(MetadataOf(ToGrpc(sent, {{"resume_token", "7"}})).at("resume_token"), "7");
}

TEST(Status, EveryCodeKeepsItsMeaning) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status sent(static_cast<absl::StatusCode>(code), "x");
    EXPECT_EQ(FromGrpc(ToGrpc(sent)), sent);
  }
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
}

TEST(Status, ManyErrorsAreCutAndCounted) {
  std::vector<FieldError> errors;
  for (int i = 0; i < 100'000; ++i) errors.push_back({"field", "message"});
  const std::vector<FieldError> received = FieldErrorsOf(FromGrpc(ToGrpc(FieldErrorsStatus(errors))));
  ASSERT_GT(received.size(), 100u);
  EXPECT_EQ(received.front(), errors.front());
  EXPECT_EQ(received.back().message, absl::StrCat("and ", errors.size() - received.size() + 1, " more errors"));
}

TEST(Status, CutMessagesKeepCharactersWhole) {
  std::string text = "a";
  for (int i = 0; i < 5000; ++i) text += "é";
  const std::string message = ToGrpc(absl::InternalError(text)).error_message();
  EXPECT_TRUE(absl::StrContains(message, "é… (")) << message;
}

// GetCluster answers with the uid that called; Cordon stays unanswered until Release; ListSlots fails with as large an error as there is.
class Probe final : public v1::ClusterService::CallbackService {
 public:
  grpc::ServerUnaryReactor* GetCluster(grpc::CallbackServerContext* context, const v1::GetClusterRequest*, v1::Cluster* cluster) override {
    const auto peer = peers.Find(context->peer());
    cluster->set_slots(peer.has_value() ? static_cast<int>(peer->uid) + 1000 : -1);
    cluster->set_version(context->peer());
    return Finish(context, grpc::Status::OK);
  }
  grpc::ServerUnaryReactor* ListSlots(grpc::CallbackServerContext* context, const v1::ListSlotsRequest*, v1::ListSlotsResponse*) override {
    std::vector<FieldError> errors;
    for (int i = 0; i < 10'000; ++i) errors.push_back({"data.sources[0].päth", "“é” is 50% wrong"});
    return Finish(context, ToGrpc(WithReason(FieldErrorsStatus(errors), "SPEC_INVALID"), {{"resume_token", "12345678901234567890"}}));
  }
  grpc::ServerUnaryReactor* Cordon(grpc::CallbackServerContext* context, const v1::CordonRequest*, v1::Cluster*) override {
    MutexLock lock(mutex);
    held_peer = context->peer();
    held = context->DefaultReactor();
    changed.NotifyAll();
    return held;
  }
  std::string AwaitHeld() {
    MutexLock lock(mutex);
    changed.Await(mutex, [&] { return held != nullptr; });
    return held_peer;
  }
  void Release() {
    MutexLock lock(mutex);
    held->Finish(grpc::Status::OK);
  }

  PeerTable peers;

 private:
  static grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context, const grpc::Status& status) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(status);
    return reactor;
  }
  Mutex mutex;
  CondVar changed;
  grpc::ServerUnaryReactor* held = nullptr;
  std::string held_peer;
};

class UnixServerTest : public ::testing::Test {
 protected:
  UnixServerOptions Options() { return {.path = path_, .services = {&service_}, .peers = &service_.peers}; }
  std::unique_ptr<v1::ClusterService::Stub> Stub() { return v1::ClusterService::NewStub(UnixChannel(path_)); }
  static void SetDeadline(grpc::ClientContext& context) {
    context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(10, GPR_TIMESPAN)));
  }
  grpc::Status Call(v1::Cluster& answer) {
    grpc::ClientContext context;
    SetDeadline(context);
    return Stub()->GetCluster(&context, {}, &answer);
  }
  testing::TempDir folder_;
  const std::string path_ = (folder_ / "s").string();
  Probe service_;
};

TEST_F(UnixServerTest, HandlersLearnWhoCalls) {
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start(Options()));
  for (int i = 0; i < 3; ++i) {
    v1::Cluster answer;
    ASSERT_TRUE(Call(answer).ok());
    EXPECT_EQ(answer.slots(), static_cast<int>(::getuid()) + 1000);
  }
  EXPECT_FALSE(service_.peers.Find("ipv4:1.2.3.4:5").has_value());
}

// Owners would be mixed up if a new connection could get the number of one whose call is still at work.
TEST_F(UnixServerTest, NumberOfAConnectionIsNotReusedWhileItsCallIsAtWork) {
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start(Options()));
  grpc::ClientContext context;
  std::thread client([&] {
    v1::Cluster answer;
    Stub()->Cordon(&context, {}, &answer);
  });
  const std::string held = service_.AwaitHeld();
  context.TryCancel();
  client.join();  // and its channel is gone
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    v1::Cluster answer;
    ASSERT_TRUE(Call(answer).ok());
    seen.insert(answer.version());
  }
  EXPECT_FALSE(seen.contains(held)) << held;
  service_.Release();
}

// Read by a client as other languages have it, which accepts 8 KiB of headers.
TEST_F(UnixServerTest, LargestErrorFitsTheHeadersOfAnyClient) {
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start(Options()));
  const auto stub = v1::ClusterService::NewStub(grpc::CreateChannel("unix:" + path_, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  SetDeadline(context);
  v1::ListSlotsResponse answer;
  const grpc::Status status = stub->ListSlots(&context, {}, &answer);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_EQ(ReasonOf(FromGrpc(status)), "SPEC_INVALID");
  EXPECT_EQ(MetadataOf(status).at("resume_token"), "12345678901234567890");
}

TEST_F(UnixServerTest, SecondServerOnThePathIsRefusedAndTheFirstGoesOn) {
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start(Options()));
  EXPECT_THAT(UnixServer::Start({.path = path_}), StatusCodeIs(absl::StatusCode::kAlreadyExists));
  v1::Cluster answer;
  EXPECT_TRUE(Call(answer).ok());
}

TEST_F(UnixServerTest, StrangersAreClosedAndReported) {
  if (::getuid() != 0) GTEST_SKIP() << "only root can take on another user id";
  std::atomic<int> refused{0};
  UnixServerOptions options = Options();
  options.mode = 0666;
  options.uids = {4242};
  options.gids = {4243};
  options.on_refused = [&](const os::PeerCredentials& peer) { refused = static_cast<int>(peer.uid); };
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start(options));
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::others_exec, std::filesystem::perm_options::add);
  // In a child: a user id is the whole process's. Connects as (uid, gid, supplementary group) and reads until the end of the connection or
  // the first byte of the server's settings.
  const auto served = [&](uid_t uid, gid_t gid, gid_t supplementary) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setgroups(1, &supplementary) != 0 || ::setgid(gid) != 0 || ::setuid(uid) != 0) ::_exit(2);
      const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
      sockaddr_un address{.sun_family = AF_UNIX};
      path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
      if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) ::_exit(3);
      char byte;
      ::_exit(::read(fd, &byte, 1) == 1 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(served(4242, 1, 1), 0);
  EXPECT_EQ(served(4244, 4243, 1), 0);
  EXPECT_EQ(served(4244, 1, 4243), 0);
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(served(4244, 1, 1), 1);
  EXPECT_EQ(refused, 4244);
}

TEST_F(UnixServerTest, NoiseOnTheSocketHarmsNobody) {
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start(Options()));
  sockaddr_un address{.sun_family = AF_UNIX};
  path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
  for (const std::string& noise :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100'000, '\xff'), std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\xff", 26)}) {
    const os::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ASSERT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    [[maybe_unused]] const ssize_t sent = ::send(fd.get(), noise.data(), noise.size(), MSG_NOSIGNAL);
    v1::Cluster answer;
    EXPECT_TRUE(Call(answer).ok());
  }
}

TEST_F(UnixServerTest, HealthFollowsServing) {
  UnixServerOptions options = Options();
  options.health_names = {"traind.v1.ClusterService"};
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start(options));
  const auto check = [&](const std::string& name) {
    grpc::GenericStub stub(UnixChannel(path_));
    grpc::ClientContext context;
    SetDeadline(context);
    // HealthCheckRequest and HealthCheckResponse: one field of text, one enumeration, both number 1.
    v1::GetJobRequest request;
    request.set_name(name);
    const grpc::Slice slice(request.SerializeAsString());
    grpc::ByteBuffer sent(&slice, 1), received;
    Mutex mutex;
    CondVar done;
    std::optional<grpc::Status> status;
    stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", {}, &sent, &received, [&](grpc::Status result) {
      MutexLock lock(mutex);
      status = result;
      done.NotifyAll();
    });
    MutexLock lock(mutex);
    done.Await(mutex, [&] { return status.has_value(); });
    grpc::Slice answer;
    if (!status->ok() || !received.DumpToSingleSlice(&answer).ok() || answer.size() != 2) return -1;
    return static_cast<int>(answer.begin()[1]);
  };
  EXPECT_EQ(check(""), 1);
  EXPECT_EQ(check("traind.v1.ClusterService"), 1);
  server->SetServing(false);
  EXPECT_EQ(check(""), 2);
  EXPECT_EQ(check("traind.v1.ClusterService"), 2);
  EXPECT_EQ(check("nobody"), -1);
}

TEST_F(UnixServerTest, ShutdownIsQuickAndRemovesTheSocket) {
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start(Options()));
  server->Shutdown(absl::Seconds(1));
  server->Shutdown(absl::Seconds(1));
  EXPECT_NE(::access(path_.c_str(), F_OK), 0);
  v1::Cluster answer;
  EXPECT_EQ(Call(answer).error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace traind::rpc
