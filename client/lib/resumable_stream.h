// A server stream that takes up again where it broke off. Internal to client/lib.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/lib/errors.h"
#include "client/lib/interrupt.h"
#include "client/lib/stream.h"
#include "client/lib/transport.h"
#include "common/base/status.h"
#include "common/rpc/status.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/sync_stream.h"

namespace traind::client {

// A stream that has delivered nothing for this long, in spite of all attempts, is lost.
inline constexpr absl::Duration kStreamPatience = absl::Seconds(60);

// What differs between the streams.
template <typename Request, typename Response>
struct StreamMethod {
  std::function<std::unique_ptr<grpc::ClientReader<Response>>(grpc::ClientContext*, const Request&)> open;
  // Makes `request` one that goes on after `response`.
  std::function<void(const Response& response, Request& request)> resume;
  // Whether the caller shall see the message: not heartbeats, nor what it has had before. May cut the message.
  std::function<bool(Response& response)> accept;
  std::function<bool(const Response& response)> is_end;
  // After OUT_OF_RANGE, that is, a token too old: makes `request` one that starts anew, false if that makes no sense.
  std::function<bool(Request& request)> restart = [](Request&) { return false; };
};

template <typename Request, typename Response>
class ResumableStream final : public Stream<Response> {
 public:
  // `timeout` bounds the whole stream, reconnections included. `transport` is borrowed.
  ResumableStream(const Transport& transport, StreamMethod<Request, Response> method, Request request, absl::Duration timeout)
      : transport_(transport),
        method_(std::move(method)),
        request_(std::move(request)),
        timeout_(timeout),
        start_(transport.clock().Steady()),
        last_message_(start_) {}

  absl::StatusOr<std::optional<Response>> Next() override {
    while (!ended_) {
      if (Left() <= absl::ZeroDuration()) return WaitTimeoutError(timeout_);
      if (call_ == nullptr) call_ = std::make_unique<Call>(*this);
      Response response;
      if (call_->reader->Read(&response)) {
        failures_ = 0;
        received_ = true;
        last_message_ = transport_.clock().Steady();
        method_.resume(response, request_);
        ended_ = method_.is_end(response);
        if (method_.accept(response) || ended_) return std::optional<Response>(std::move(response));
        continue;
      }
      const grpc::Status status = call_->Finish();
      call_.reset();
      RETURN_IF_ERROR(AfterCut(status));
    }
    return std::optional<Response>();
  }

 private:
  struct Call {
    explicit Call(ResumableStream& stream) : scope(stream.transport_.interrupt(), [this] { context.TryCancel(); }) {
      if (stream.timeout_ < absl::InfiniteDuration()) SetDeadline(context, stream.Left());
      reader = stream.method_.open(&context, stream.request_);
    }
    // gRPC wants every call read to its end.
    ~Call() {
      if (finished) return;
      context.TryCancel();
      Response rest;
      while (reader->Read(&rest)) {
      }
      reader->Finish();
    }
    grpc::Status Finish() {
      finished = true;
      return reader->Finish();
    }
    grpc::ClientContext context;
    Interrupt::Scope scope;
    std::unique_ptr<grpc::ClientReader<Response>> reader;
    bool finished = false;
  };

  absl::Duration Left() const { return timeout_ - (transport_.clock().Steady() - start_); }

  // OK to try again, after a pause. An end without the end record is a cut as well: it must not look like success.
  absl::Status AfterCut(const grpc::Status& status) {
    if (transport_.interrupt().triggered()) return InterruptedError();
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED && timeout_ < absl::InfiniteDuration())
      return WaitTimeoutError(timeout_);
    if (status.error_code() == grpc::StatusCode::OUT_OF_RANGE && method_.restart(request_)) return absl::OkStatus();
    if (!IsCut(status)) return transport_.Describe(status);
    // A copy: error_message() of Debian's gRPC returns by value.
    const std::string cause = status.ok() ? "the stream ended without saying how the job ended" : status.error_message();
    ++failures_;
    if (!received_ && failures_ >= kMaxAttempts) return transport_.Describe(status.ok() ? Unavailable(cause) : status);
    if (transport_.clock().Steady() - last_message_ > kStreamPatience) return StreamLostError(transport_.address(), kStreamPatience, cause);
    if (!transport_.Sleep(Backoff(failures_))) return InterruptedError();
    return absl::OkStatus();
  }

  static grpc::Status Unavailable(absl::string_view cause) { return {grpc::StatusCode::UNAVAILABLE, std::string(cause)}; }

  // gRPC reports a lost connection as UNAVAILABLE or, in between two states, as UNKNOWN; a server that is stopped in haste cancels.
  static bool IsCut(const grpc::Status& status) {
    switch (status.error_code()) {
      case grpc::StatusCode::OK:
      case grpc::StatusCode::UNAVAILABLE:
      case grpc::StatusCode::UNKNOWN:
      case grpc::StatusCode::CANCELLED:
        return true;
      default:
        return false;
    }
  }

  const Transport& transport_;
  const StreamMethod<Request, Response> method_;
  Request request_;
  const absl::Duration timeout_;
  const absl::Duration start_;  // on the steady clock, as last_message_
  absl::Duration last_message_;
  std::unique_ptr<Call> call_;
  bool received_ = false;
  bool ended_ = false;
  int failures_ = 0;
};

}  // namespace traind::client
