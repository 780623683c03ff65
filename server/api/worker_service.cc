#include "server/api/worker_service.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/base/mutex.h"
#include "common/base/status.h"
#include "common/rpc/status.h"
#include "server/api/job_proto.h"

namespace traind::server::api {
namespace {

using internal::v1::CoordinatorMessage;
using internal::v1::WorkerMessage;

supervisor::Progress FromProto(const v1::Progress& message) {
  supervisor::Progress progress;
  progress.step = message.step();
  progress.total_steps = message.total_steps();
  progress.fold = message.fold();
  progress.total_folds = message.total_folds();
  progress.steps_per_second = message.steps_per_second();
  if (message.has_loss()) progress.loss = message.loss();
  if (message.has_eta()) progress.eta = absl::Seconds(message.eta().seconds()) + absl::Nanoseconds(message.eta().nanos());
  progress.phase = message.phase();
  return progress;
}

domain::Checkpoint FromProto(const internal::v1::CheckpointPrepared& message, const supervisor::WorkerKey& key) {
  domain::Checkpoint checkpoint;
  checkpoint.job = key.job;
  checkpoint.attempt = key.attempt;
  checkpoint.step = message.step();
  checkpoint.folder = message.folder();
  checkpoint.size_bytes = message.size_bytes();
  checkpoint.manifest_sha256 = message.manifest_sha256();
  checkpoint.metrics = {message.metrics().begin(), message.metrics().end()};
  return checkpoint;
}

CoordinatorMessage AssignmentMessage(const supervisor::WorkerAssignment& assignment) {
  CoordinatorMessage message;
  internal::v1::Assignment& body = *message.mutable_assignment();
  body.mutable_spec()->ParseFromString(assignment.spec_bytes);
  body.set_spec_sha256(assignment.spec_sha256);
  for (const std::string& path : assignment.user_set_paths) body.add_user_set_paths(path);
  body.mutable_data_roots()->insert(assignment.data_roots.begin(), assignment.data_roots.end());
  body.set_job_folder(assignment.job_folder);
  body.set_world_size(assignment.world_size);
  body.set_device(assignment.device);
  body.set_validate_data_only(assignment.validate_data_only);
  return message;
}

bool SameKey(const supervisor::WorkerKey& a, const supervisor::WorkerKey& b) {
  return a.job == b.job && a.attempt == b.attempt && a.rank == b.rank && a.incarnation == b.incarnation;
}

class SessionStream;

// The supervisor's way back to a stream; outlives it.
class Link final : public supervisor::WorkerLink {
 public:
  explicit Link(SessionStream* stream) : stream_(stream) {}
  void Stop(StopKind kind, const std::string& reason) override;
  void CheckpointCommitted(int64_t step) override;
  void TerminalAck() override;
  void Close(const absl::Status& status) override;
  void Detach() {
    MutexLock lock(mutex_);
    stream_ = nullptr;
  }

 private:
  void Send(CoordinatorMessage message);
  Mutex mutex_;
  SessionStream* stream_ ABSL_GUARDED_BY(mutex_);
};

// One worker's stream. Deletes itself when gRPC is done with it.
class SessionStream final : public grpc::ServerBidiReactor<WorkerMessage, CoordinatorMessage> {
 public:
  explicit SessionStream(supervisor::WorkerSessions& sessions) : sessions_(sessions), link_(std::make_shared<Link>(this)) {
    StartRead(&incoming_);
  }

  // Commands wait until the assignment, which is the first answer, is on its way.
  void Send(CoordinatorMessage message) {
    MutexLock lock(mutex_);
    if (finished_) return;
    if (message.has_assignment()) {
      assigned_ = true;
      outgoing_.push_front(std::move(message));
    } else {
      outgoing_.push_back(std::move(message));
    }
    // The writer of a session is the supervisor, with a handful of messages in the life of a worker: more means that it does not read.
    if (outgoing_.size() > kMaxOutgoing) return FinishLocked(absl::ResourceExhaustedError("the worker does not read its commands"));
    WriteNextLocked();
  }

  void Close(const absl::Status& status) {
    MutexLock lock(mutex_);
    if (!finished_) FinishLocked(status);
  }

 private:
  static constexpr size_t kMaxOutgoing = 64;

  void OnReadDone(bool ok) override {
    if (!ok) return Close(absl::OkStatus());
    const absl::Status status = Handle(incoming_);
    if (!status.ok()) return Close(status);
    StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override {
    MutexLock lock(mutex_);
    outgoing_.pop_front();
    writing_ = false;
    if (ok && !finished_) WriteNextLocked();
  }
  void OnCancel() override { Close(absl::CancelledError("the worker went away")); }
  void OnDone() override {
    link_->Detach();
    if (key_.has_value()) sessions_.Disconnected(*key_, link_);
    delete this;
  }

  void WriteNextLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (writing_ || !assigned_ || outgoing_.empty()) return;
    writing_ = true;
    StartWrite(&outgoing_.front());
  }
  void FinishLocked(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    finished_ = true;
    Finish(rpc::ToGrpc(status));
  }

  absl::Status Handle(const WorkerMessage& message) {
    ASSIGN_OR_RETURN(const JobId job, ParseJobName(message.job()));
    const supervisor::WorkerKey key{job, AttemptId(message.attempt()), message.rank(), Incarnation(message.incarnation())};
    if (message.has_register_()) return Register(key, message.register_());
    if (!key_.has_value()) return absl::FailedPreconditionError("the first message of a session must be register");
    if (!SameKey(key, *key_)) return absl::InvalidArgumentError("a message of the session is of another worker than its registration");
    switch (message.body_case()) {
      case WorkerMessage::kHeartbeat:
        return sessions_.Heartbeat(key);
      case WorkerMessage::kProgress:
        return sessions_.ReportProgress(key, FromProto(message.progress()));
      case WorkerMessage::kCheckpointPrepared:
        return sessions_.CheckpointPrepared(key, FromProto(message.checkpoint_prepared(), key));
      case WorkerMessage::kTerminal:
        return sessions_.Terminal(key, FailureCauseFromName(message.terminal().failure_cause()).value_or(FailureCause::kCrashed),
                                  message.terminal().error(), {message.terminal().result().begin(), message.terminal().result().end()});
      case WorkerMessage::kDataReport:
        return sessions_.DataReport(key, message.data_report().report_json());
      default:
        return absl::InvalidArgumentError("a message of the session has no body this version knows");
    }
  }

  absl::Status Register(const supervisor::WorkerKey& key, const internal::v1::Register& message) {
    if (key_.has_value()) return absl::FailedPreconditionError("this session has registered already");
    supervisor::WorkerHello hello;
    hello.process = {message.boot_id(), message.pid(), message.start_time_ticks()};
    hello.version = message.version();
    hello.metrics_address = message.metrics_address();
    ASSIGN_OR_RETURN(const supervisor::WorkerAssignment assignment, sessions_.Register(key, hello, link_));
    key_ = key;
    Send(AssignmentMessage(assignment));
    return absl::OkStatus();
  }

  supervisor::WorkerSessions& sessions_;
  const std::shared_ptr<Link> link_;
  // Of the reading side, whose callbacks come one at a time.
  WorkerMessage incoming_;
  std::optional<supervisor::WorkerKey> key_;

  Mutex mutex_;
  std::deque<CoordinatorMessage> outgoing_ ABSL_GUARDED_BY(mutex_);
  bool assigned_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

void Link::Send(CoordinatorMessage message) {
  MutexLock lock(mutex_);
  if (stream_ != nullptr) stream_->Send(std::move(message));
}
void Link::Stop(StopKind kind, const std::string& reason) {
  CoordinatorMessage message;
  message.mutable_stop()->set_kind(kind == StopKind::kCancel ? internal::v1::Stop::CANCEL : internal::v1::Stop::SUSPEND);
  message.mutable_stop()->set_reason(reason);
  Send(std::move(message));
}
void Link::CheckpointCommitted(int64_t step) {
  CoordinatorMessage message;
  message.mutable_checkpoint_committed()->set_step(step);
  Send(std::move(message));
}
void Link::TerminalAck() {
  CoordinatorMessage message;
  message.mutable_terminal_ack();
  Send(std::move(message));
}
void Link::Close(const absl::Status& status) {
  MutexLock lock(mutex_);
  if (stream_ != nullptr) stream_->Close(status);
}

// A stream that ends before it began.
class Refusal final : public grpc::ServerBidiReactor<WorkerMessage, CoordinatorMessage> {
 public:
  explicit Refusal(const absl::Status& status) { Finish(rpc::ToGrpc(status)); }

 private:
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerBidiReactor<WorkerMessage, CoordinatorMessage>* WorkerService::Session(grpc::CallbackServerContext*) {
  if (!open_) return new Refusal(absl::UnavailableError("traind is starting; try again"));
  return new SessionStream(sessions_);
}

}  // namespace traind::server::api
