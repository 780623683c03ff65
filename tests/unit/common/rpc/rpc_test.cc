#include <sys/socket.h>
#include <unistd.h>

#include "common/base/status.h"
#include "common/rpc/channel.h"
#include "common/rpc/limits.h"
#include "common/rpc/status.h"
#include "common/rpc/unix_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "traind/v1/cluster.grpc.pb.h"

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
}

TEST(Status, EveryCodeKeepsItsMeaning) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status sent(static_cast<absl::StatusCode>(code), "x");
    EXPECT_EQ(FromGrpc(ToGrpc(sent)), sent);
  }
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
}

TEST(Status, HugeErrorsFitAHeader) {
  std::vector<FieldError> errors;
  for (int i = 0; i < 100'000; ++i) errors.push_back({"field", "message"});
  EXPECT_LT(ToGrpc(FieldErrorsStatus(errors)).error_details().size(), size_t{kMaxMetadataBytes});
}

// Answers with the uid that called.
class WhoAmI final : public v1::ClusterService::CallbackService {
 public:
  grpc::ServerUnaryReactor* GetCluster(grpc::CallbackServerContext* context, const v1::GetClusterRequest*, v1::Cluster* cluster) override {
    const auto peer = server->PeerOf(context->peer());
    cluster->set_slots(peer.has_value() ? static_cast<int>(peer->uid) + 1000 : -1);
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
  UnixServer* server = nullptr;
};

class UnixServerTest : public ::testing::Test {
 protected:
  grpc::Status Call(v1::Cluster& answer) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    return v1::ClusterService::NewStub(UnixChannel(path_))->GetCluster(&context, {}, &answer);
  }
  testing::TempDir folder_;
  const std::string path_ = (folder_ / "s").string();
  WhoAmI service_;
};

TEST_F(UnixServerTest, HandlersLearnWhoCalls) {
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start({.path = path_, .services = {&service_}}));
  service_.server = server.get();
  for (int i = 0; i < 3; ++i) {
    v1::Cluster answer;
    ASSERT_TRUE(Call(answer).ok());
    EXPECT_EQ(answer.slots(), static_cast<int>(::getuid()) + 1000);
  }
  EXPECT_FALSE(server->PeerOf("ipv4:1.2.3.4:5").has_value());
}

TEST_F(UnixServerTest, SecondServerOnThePathIsRefusedAndTheFirstGoesOn) {
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start({.path = path_, .services = {&service_}}));
  service_.server = server.get();
  EXPECT_THAT(UnixServer::Start({.path = path_}), StatusCodeIs(absl::StatusCode::kAlreadyExists));
  v1::Cluster answer;
  EXPECT_TRUE(Call(answer).ok());
}

TEST_F(UnixServerTest, ShutdownIsQuickAndRemovesTheSocket) {
  ASSERT_OK_AND_ASSIGN(const auto server, UnixServer::Start({.path = path_, .services = {&service_}}));
  server->Shutdown(absl::Seconds(1));
  server->Shutdown(absl::Seconds(1));
  EXPECT_NE(::access(path_.c_str(), F_OK), 0);
  v1::Cluster answer;
  EXPECT_EQ(Call(answer).error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace traind::rpc
