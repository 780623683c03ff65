#include "tests/unit/server/api/api_harness.h"

namespace traind::server::api {
namespace {

using internal::v1::CoordinatorMessage;
using internal::v1::WorkerMessage;
using ::testing::Contains;
using ::testing::ElementsAre;

class WorkerServiceTest : public ApiTest {
 protected:
  using Stream = grpc::ClientReaderWriter<WorkerMessage, CoordinatorMessage>;

  // A worker's side of one session.
  struct Worker {
    explicit Worker(const std::shared_ptr<grpc::Channel>& channel) : stub(internal::v1::WorkerService::NewStub(channel)) {
      SetDeadline(context, 20);
      stream = stub->Session(&context);
    }
    std::unique_ptr<internal::v1::WorkerService::Stub> stub;
    grpc::ClientContext context;
    std::unique_ptr<Stream> stream;
  };

  static WorkerMessage Message(uint64_t incarnation = 7) {
    WorkerMessage message;
    message.set_job("jobs/dqn-a");
    message.set_attempt(1);
    message.set_incarnation(incarnation);
    return message;
  }
  static WorkerMessage Hello(uint64_t incarnation = 7) {
    WorkerMessage message = Message(incarnation);
    message.mutable_register_()->set_pid(99);
    return message;
  }
};

TEST_F(WorkerServiceTest, SessionCarriesReportsThereAndCommandsBack) {
  Worker worker(channel_);
  ASSERT_TRUE(worker.stream->Write(Hello()));
  CoordinatorMessage answer;
  ASSERT_TRUE(worker.stream->Read(&answer));
  EXPECT_EQ(answer.assignment().world_size(), 3);

  WorkerMessage message = Message();
  message.mutable_heartbeat();
  worker.stream->Write(message);
  message.mutable_progress()->set_step(5);
  worker.stream->Write(message);
  message.mutable_checkpoint_prepared()->set_step(4);
  worker.stream->Write(message);
  ASSERT_TRUE(worker.stream->Read(&answer));
  EXPECT_EQ(answer.checkpoint_committed().step(), 4);

  supervisor_.link()->Stop(supervisor::WorkerLink::StopKind::kSuspend, "make room");
  ASSERT_TRUE(worker.stream->Read(&answer));
  EXPECT_EQ(answer.stop().kind(), internal::v1::Stop::SUSPEND);
  EXPECT_EQ(answer.stop().reason(), "make room");

  message.mutable_terminal()->set_failure_cause("DATA");
  message.mutable_terminal()->set_error("row 3");
  worker.stream->Write(message);
  ASSERT_TRUE(worker.stream->Read(&answer));
  EXPECT_TRUE(answer.has_terminal_ack());
  worker.stream->WritesDone();
  EXPECT_TRUE(worker.stream->Finish().ok());
  supervisor_.AwaitNote("disconnected");
  EXPECT_THAT(supervisor_.notes(),
              ElementsAre("register 99", "heartbeat", "progress 5", "checkpoint 4 of dqn-a", "terminal DATA row 3", "disconnected"));
  supervisor_.link()->TerminalAck();  // safe after the stream has ended
}

TEST_F(WorkerServiceTest, AssignmentIsTheFirstAnswerThoughAStopWasGivenBefore) {
  supervisor_.stop_at_register = true;
  Worker worker(channel_);
  ASSERT_TRUE(worker.stream->Write(Hello()));
  CoordinatorMessage answer;
  ASSERT_TRUE(worker.stream->Read(&answer));
  EXPECT_TRUE(answer.has_assignment());
  ASSERT_TRUE(worker.stream->Read(&answer));
  EXPECT_EQ(answer.stop().kind(), internal::v1::Stop::CANCEL);
}

TEST_F(WorkerServiceTest, WorkersThatComeTooEarlyMayTryAgain) {
  WorkerService closed(supervisor_);
  ASSERT_OK_AND_ASSIGN(const auto server, rpc::UnixServer::Start({.path = path_ + "2", .services = {&closed}}));
  {
    Worker worker(rpc::UnixChannel(path_ + "2"));
    worker.stream->Write(Hello());
    EXPECT_EQ(worker.stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  closed.Open();
  Worker worker(rpc::UnixChannel(path_ + "2"));
  worker.stream->Write(Hello());
  CoordinatorMessage answer;
  EXPECT_TRUE(worker.stream->Read(&answer));
  worker.context.TryCancel();
  EXPECT_FALSE(worker.stream->Finish().ok());
}

TEST_F(WorkerServiceTest, FencedWorkerGetsAborted) {
  Worker worker(channel_);
  worker.stream->Write(Hello(8));
  CoordinatorMessage answer;
  EXPECT_FALSE(worker.stream->Read(&answer));
  const grpc::Status status = worker.stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(ReasonOf(rpc::FromGrpc(status)), "FENCED");
}

TEST_F(WorkerServiceTest, FirstMessageMustRegisterAndAllMustBeOfOneWorker) {
  Worker silent(channel_);
  WorkerMessage heartbeat = Message();
  heartbeat.mutable_heartbeat();
  silent.stream->Write(heartbeat);
  EXPECT_EQ(silent.stream->Finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);

  Worker twofold(channel_);
  twofold.stream->Write(Hello());
  heartbeat.set_rank(1);
  twofold.stream->Write(heartbeat);
  CoordinatorMessage answer;
  while (twofold.stream->Read(&answer)) {
  }
  EXPECT_EQ(twofold.stream->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);

  Worker twice(channel_);
  twice.stream->Write(Hello());
  twice.stream->Write(Hello());
  while (twice.stream->Read(&answer)) {
  }
  EXPECT_EQ(twice.stream->Finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(WorkerServiceTest, WorkerThatDiesIsDisconnectedAndOneIsClosedOnDemand) {
  {
    Worker worker(channel_);
    worker.stream->Write(Hello());
    CoordinatorMessage answer;
    ASSERT_TRUE(worker.stream->Read(&answer));
    worker.context.TryCancel();
    worker.stream->Finish();
  }
  supervisor_.AwaitNote("disconnected");
  Worker worker(channel_);
  worker.stream->Write(Hello());
  CoordinatorMessage answer;
  ASSERT_TRUE(worker.stream->Read(&answer));
  supervisor_.link()->Close(absl::AbortedError("lease ended"));
  EXPECT_FALSE(worker.stream->Read(&answer));
  EXPECT_EQ(worker.stream->Finish().error_code(), grpc::StatusCode::ABORTED);
}

TEST_F(WorkerServiceTest, OpenSessionsDoNotHoldUpTheEnd) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < 20; ++i) {
    workers.push_back(std::make_unique<Worker>(channel_));
    workers.back()->stream->Write(Hello());
  }
  server_->Shutdown(absl::Milliseconds(10));
  for (const auto& worker : workers) {
    worker->stream->WritesDone();
    CoordinatorMessage answer;
    while (worker->stream->Read(&answer)) {
    }
    EXPECT_FALSE(worker->stream->Finish().ok());
  }
}

}  // namespace
}  // namespace traind::server::api
