#include "worker/agent/session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/rpc/channel.h"
#include "common/rpc/status.h"
#include "traind/internal/v1/worker.grpc.pb.h"

namespace traind::worker::agent {
namespace {

constexpr absl::Duration kFirstBackoff = absl::Milliseconds(50);
// Longest sleep of the writer: a change wakes it at once, this only bounds how late it sees time pass.
constexpr absl::Duration kLongestWait = absl::Milliseconds(100);

}  // namespace

Session::Session(SessionOptions options, SessionEvents& events, const Clock& clock)
    : options_(std::move(options)), events_(events), clock_(clock), last_contact_(clock.Steady()) {}

Session::~Session() { Shutdown(); }

void Session::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Session::Shutdown() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    if (context_ != nullptr) context_->TryCancel();
    WakeLocked();
  }
  if (thread_.joinable()) thread_.join();
}

void Session::ReportProgress(const v1::Progress& progress) {
  MutexLock lock(mutex_);
  progress_ = progress;
}

void Session::ReportCheckpoint(const internal::v1::CheckpointPrepared& checkpoint) {
  MutexLock lock(mutex_);
  checkpoints_[checkpoint.step()] = {checkpoint};
  WakeLocked();
}

void Session::ReportData(const std::string& report_json) {
  MutexLock lock(mutex_);
  data_.emplace();
  data_->body.set_report_json(report_json);
  WakeLocked();
}

absl::Status Session::ReportTerminal(const internal::v1::Terminal& terminal, absl::Duration timeout) {
  MutexLock lock(mutex_);
  terminal_ = {terminal};
  WakeLocked();
  changed_.AwaitFor(mutex_, timeout, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return acknowledged_ || fenced_; });
  if (acknowledged_) return absl::OkStatus();
  if (fenced_) return absl::AbortedError("another incarnation has taken over");
  return absl::DeadlineExceededError("the coordinator did not acknowledge how the job ended");
}

void Session::Run() {
  const std::shared_ptr<grpc::Channel> channel = rpc::UnixChannel(options_.address);
  absl::Duration backoff = kFirstBackoff;
  for (;;) {
    const absl::Status ended = RunStream(channel);
    bool orphaned = false;
    {
      MutexLock lock(mutex_);
      if (stopping_) return;
      if (ended.code() == absl::StatusCode::kAborted) fenced_ = true;
      // An open stream is contact, however little it carries.
      if (assigned_) {
        last_contact_ = clock_.Steady();
        backoff = kFirstBackoff;
      }
      orphaned = clock_.Steady() - last_contact_ >= options_.orphan_after;
      assigned_ = false;
      MarkUnsentLocked();
      WakeLocked();
    }
    if (ended.code() == absl::StatusCode::kAborted) return events_.OnFenced(std::string(ended.message()));
    if (orphaned) return events_.OnOrphaned();
    MutexLock lock(mutex_);
    changed_.AwaitFor(mutex_, backoff, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return stopping_; });
    if (stopping_) return;
    backoff = std::min(backoff * 2, options_.longest_backoff);
  }
}

absl::Status Session::RunStream(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::ClientContext context;
  {
    MutexLock lock(mutex_);
    if (stopping_) return absl::CancelledError("stopping");
    context_ = &context;
    broken_ = false;
  }
  auto stub = internal::v1::WorkerService::NewStub(channel);
  std::unique_ptr<Stream> stream = stub->Session(&context);
  internal::v1::WorkerMessage hello = Envelope();
  *hello.mutable_register_() = options_.hello;
  if (stream->Write(hello)) {
    std::thread reader([&] { ReadUntilBroken(*stream); });
    WriteUntilBroken(*stream);
    reader.join();
  }
  const grpc::Status status = stream->Finish();
  MutexLock lock(mutex_);
  context_ = nullptr;
  return rpc::FromGrpc(status);
}

void Session::WriteUntilBroken(Stream& stream) {
  while (const std::optional<internal::v1::WorkerMessage> message = NextMessage()) {
    if (!stream.Write(*message)) return;
  }
}

std::optional<internal::v1::WorkerMessage> Session::NextMessage() {
  MutexLock lock(mutex_);
  for (;;) {
    if (stopping_ || broken_) return std::nullopt;
    if (assigned_) {
      if (auto report = NextReportLocked()) return report;
      const absl::Duration now = clock_.Steady();
      if (now - last_heartbeat_ >= options_.heartbeat) {
        last_heartbeat_ = now;
        internal::v1::WorkerMessage message = Envelope();
        message.mutable_heartbeat();
        return message;
      }
      if (progress_.has_value() && now - last_progress_ >= options_.progress_interval) {
        last_progress_ = now;
        internal::v1::WorkerMessage message = Envelope();
        *message.mutable_progress() = *std::exchange(progress_, std::nullopt);
        return message;
      }
    }
    changed_.AwaitFor(mutex_, std::min(kLongestWait, options_.heartbeat / 4), [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return wake_; });
    wake_ = false;
  }
}

void Session::WakeLocked() {
  wake_ = true;
  changed_.NotifyAll();
}

std::optional<internal::v1::WorkerMessage> Session::NextReportLocked() {
  internal::v1::WorkerMessage message = Envelope();
  for (auto& [step, report] : checkpoints_) {
    if (std::exchange(report.sent, true)) continue;
    *message.mutable_checkpoint_prepared() = report.body;
    return message;
  }
  if (data_.has_value() && !std::exchange(data_->sent, true)) {
    *message.mutable_data_report() = data_->body;
    return message;
  }
  // A terminal report comes last: nothing of the attempt counts after it.
  if (terminal_.has_value() && !std::exchange(terminal_->sent, true)) {
    *message.mutable_terminal() = terminal_->body;
    return message;
  }
  return std::nullopt;
}

void Session::ReadUntilBroken(Stream& stream) {
  internal::v1::CoordinatorMessage message;
  while (stream.Read(&message)) Handle(message);
  MutexLock lock(mutex_);
  broken_ = true;
  WakeLocked();
}

void Session::Handle(const internal::v1::CoordinatorMessage& message) {
  {
    MutexLock lock(mutex_);
    if (message.has_assignment()) assigned_ = true;
    if (message.has_terminal_ack()) acknowledged_ = true;
    if (message.has_checkpoint_committed()) checkpoints_.erase(message.checkpoint_committed().step());
    WakeLocked();
  }
  if (message.has_assignment()) events_.OnAssignment(message.assignment());
  if (message.has_stop()) events_.OnStop(message.stop().kind(), message.stop().reason());
}

void Session::MarkUnsentLocked() {
  for (auto& [step, report] : checkpoints_) report.sent = false;
  if (data_.has_value()) data_->sent = false;
  if (terminal_.has_value()) terminal_->sent = false;
}

internal::v1::WorkerMessage Session::Envelope() const {
  internal::v1::WorkerMessage message;
  message.set_job(options_.job);
  message.set_attempt(options_.attempt);
  message.set_rank(options_.rank);
  message.set_incarnation(options_.incarnation);
  return message;
}

}  // namespace traind::worker::agent
