// The frame of every server stream. A stream is asked for its next message when the one before has left, and on each tick; it never has
// more than one message under way, so that a client that does not read costs one message.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/base/status.h"
#include "common/rpc/status.h"
#include "grpcpp/support/server_callback.h"
#include "server/api/api_context.h"
#include "server/api/stream_registry.h"
#include "server/api/unary.h"

namespace traind::server::api {

inline constexpr absl::Duration kStreamHeartbeat = absl::Seconds(15);

// Where the messages of one stream come from. Calls come one at a time. Deleted with the stream.
template <typename Response>
class StreamSource {
 public:
  virtual ~StreamSource() = default;
  // The next message; nothing when there is none now. An error ends the stream with it; so does done().
  virtual absl::StatusOr<std::optional<Response>> Next() = 0;
  // The last message has been given out.
  virtual bool done() const = 0;
  // A message that only says that the stream lives.
  virtual Response Heartbeat() const = 0;
  // Goes on after the last message given out.
  virtual std::string resume_token() const = 0;
};

template <typename Response>
class PullStream final : public grpc::ServerWriteReactor<Response>, public Tickable {
 public:
  // Registers itself, and deletes itself when gRPC is done with it. `api` and `registry` outlive it.
  static PullStream* Start(const ApiContext& api, StreamRegistry& registry, std::string owner,
                           absl::StatusOr<std::unique_ptr<StreamSource<Response>>> source) {
    auto* stream = new PullStream(api, registry, std::move(owner));
    absl::Status status = source.status();
    if (status.ok()) {
      stream->source_ = *std::move(source);
      status = registry.Add(stream, stream->owner_);
    }
    if (status.ok()) {
      stream->Tick();
    } else {
      stream->FinishOnce(rpc::ToGrpc(Outgoing(api, status)));
    }
    return stream;
  }

  void Tick() override {
    MutexLock lock(mutex_);
    if (writing_ || finished_) return;
    absl::StatusOr<std::optional<Response>> next = source_->Next();
    if (!next.ok()) return FinishLocked(rpc::ToGrpc(Outgoing(api_, next.status()), {{"resume_token", source_->resume_token()}}));
    if (next->has_value()) return WriteLocked(**std::move(next));
    if (source_->done()) return FinishLocked(grpc::Status::OK);
    if (api_.clock.Steady() - last_write_ >= kStreamHeartbeat) WriteLocked(source_->Heartbeat());
  }

  void EndForShutdown() override {
    MutexLock lock(mutex_);
    if (finished_) return;
    FinishLocked(
        rpc::ToGrpc(WithReason(absl::UnavailableError("traind is stopping; go on with the resume token when it is back"), "SHUTTING_DOWN"),
                    {{"resume_token", source_->resume_token()}}));
  }

 private:
  PullStream(const ApiContext& api, StreamRegistry& registry, std::string owner)
      : api_(api), registry_(registry), owner_(std::move(owner)) {}

  void OnWriteDone(bool ok) override {
    {
      MutexLock lock(mutex_);
      writing_ = false;
      if (!ok && !finished_) FinishLocked(grpc::Status::CANCELLED);
    }
    if (ok) Tick();
  }
  void OnCancel() override { FinishOnce(grpc::Status::CANCELLED); }
  void OnDone() override {
    registry_.Remove(this, owner_);
    delete this;
  }

  void WriteLocked(Response message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    message_ = std::move(message);
    writing_ = true;
    last_write_ = api_.clock.Steady();
    this->StartWrite(&message_);
  }
  void FinishLocked(const grpc::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    finished_ = true;
    this->Finish(status);
  }
  void FinishOnce(const grpc::Status& status) {
    MutexLock lock(mutex_);
    if (!finished_) FinishLocked(status);
  }

  const ApiContext& api_;
  StreamRegistry& registry_;
  const std::string owner_;
  std::unique_ptr<StreamSource<Response>> source_;
  // Held while gRPC is called: StartWrite and Finish only queue, their callbacks come on other threads.
  Mutex mutex_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  // A stream with nothing to say yet says so at once, which tells its client that it is connected.
  absl::Duration last_write_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
  Response message_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::server::api
