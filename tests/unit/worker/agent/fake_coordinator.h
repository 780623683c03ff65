// A coordinator that records what a worker says and answers as told. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "traind/internal/v1/worker.grpc.pb.h"

namespace traind::worker::agent {

class FakeCoordinator final : public internal::v1::WorkerService::Service {
 public:
  explicit FakeCoordinator(std::string socket) : address_(absl::StrCat("unix:", socket)) { Start(); }
  ~FakeCoordinator() override { Stop(); }

  const std::string& address() const { return address_; }

  void Start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  void Stop() {
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
    server_ = nullptr;
  }

  // What the next sessions get.
  void SetAssignment(internal::v1::Assignment assignment) {
    MutexLock lock(mutex_);
    assignment_ = std::move(assignment);
  }
  void FenceEverybody() {
    MutexLock lock(mutex_);
    fence_ = true;
  }
  void AnswerReports(bool answer) {
    MutexLock lock(mutex_);
    answer_ = answer;
  }
  void SendStop(internal::v1::Stop::Kind kind) {
    MutexLock lock(mutex_);
    internal::v1::CoordinatorMessage message;
    message.mutable_stop()->set_kind(kind);
    if (stream_ != nullptr) stream_->Write(message);
  }

  // Messages so far that satisfy `filter`; waits for at least `count` of them.
  using Filter = std::function<bool(const internal::v1::WorkerMessage&)>;
  std::vector<internal::v1::WorkerMessage> Await(size_t count, const Filter& filter) {
    MutexLock lock(mutex_);
    std::vector<internal::v1::WorkerMessage> found;
    changed_.AwaitFor(mutex_, absl::Seconds(10), [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      found.clear();
      for (const auto& message : messages_) {
        if (filter(message)) found.push_back(message);
      }
      return found.size() >= count;
    });
    return found;
  }

 private:
  using Stream = grpc::ServerReaderWriter<internal::v1::CoordinatorMessage, internal::v1::WorkerMessage>;

  grpc::Status Session(grpc::ServerContext*, Stream* stream) override {
    internal::v1::WorkerMessage message;
    while (stream->Read(&message)) {
      MutexLock lock(mutex_);
      messages_.push_back(message);
      changed_.NotifyAll();
      if (fence_) return {grpc::StatusCode::ABORTED, "attempt 2 is current"};
      internal::v1::CoordinatorMessage answer;
      if (message.has_register_()) {
        stream_ = stream;
        *answer.mutable_assignment() = assignment_;
        stream->Write(answer);
      } else if (answer_ && message.has_terminal()) {
        answer.mutable_terminal_ack();
        stream->Write(answer);
      } else if (answer_ && message.has_checkpoint_prepared()) {
        answer.mutable_checkpoint_committed()->set_step(message.checkpoint_prepared().step());
        stream->Write(answer);
      }
    }
    MutexLock lock(mutex_);
    stream_ = nullptr;
    return grpc::Status::OK;
  }

  const std::string address_;
  std::unique_ptr<grpc::Server> server_;
  Mutex mutex_;
  CondVar changed_;
  internal::v1::Assignment assignment_ ABSL_GUARDED_BY(mutex_);
  bool fence_ ABSL_GUARDED_BY(mutex_) = false;
  bool answer_ ABSL_GUARDED_BY(mutex_) = true;
  Stream* stream_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::vector<internal::v1::WorkerMessage> messages_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::worker::agent
