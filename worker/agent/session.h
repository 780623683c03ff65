// A worker's session with its coordinator: registers, keeps the lease alive, carries reports there and commands back. The coordinator may
// come and go; the session connects again and registers with the same incarnation, and what was not yet answered is sent again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/sync_stream.h"
#include "traind/internal/v1/worker.pb.h"

namespace traind::worker::agent {

struct SessionOptions {
  std::string address;  // "unix:/path"
  std::string job;      // "jobs/<id>"
  int64_t attempt = 0;
  int rank = 0;
  uint64_t incarnation = 0;
  internal::v1::Register hello;
  absl::Duration heartbeat = absl::Seconds(1);
  // At most one progress message in this time; later ones replace earlier ones.
  absl::Duration progress_interval = absl::Milliseconds(500);
  // Silence of the coordinator after which the worker gives up.
  absl::Duration orphan_after = absl::Minutes(10);
  absl::Duration longest_backoff = absl::Seconds(2);
};

// Called on the session's threads, one call at a time per method; must return quickly.
class SessionEvents {
 public:
  virtual ~SessionEvents() = default;
  // The first answer after each registration; the assignment is the same each time.
  virtual void OnAssignment(const internal::v1::Assignment& assignment) = 0;
  virtual void OnStop(internal::v1::Stop::Kind kind, const std::string& reason) = 0;
  // Another incarnation has taken over: nothing this process does counts any more.
  virtual void OnFenced(const std::string& reason) = 0;
  // No coordinator for `orphan_after`.
  virtual void OnOrphaned() = 0;
};

// Thread-safe. Start once, Shutdown before destruction (the destructor does it too).
class Session {
 public:
  // `events` and `clock` outlive the session.
  Session(SessionOptions options, SessionEvents& events, const Clock& clock);
  ~Session();

  void Start();
  void Shutdown();

  // Telemetry: the newest one wins.
  void ReportProgress(const v1::Progress& progress);
  // Kept and sent again until the coordinator says that it is committed.
  void ReportCheckpoint(const internal::v1::CheckpointPrepared& checkpoint);
  void ReportData(const std::string& report_json);
  // Sends the terminal report and waits for its acknowledgement. DEADLINE_EXCEEDED when none came in time.
  absl::Status ReportTerminal(const internal::v1::Terminal& terminal, absl::Duration timeout);

 private:
  using Stream = grpc::ClientReaderWriter<internal::v1::WorkerMessage, internal::v1::CoordinatorMessage>;

  void Run();
  // One life of the stream; returns how it ended.
  absl::Status RunStream(const std::shared_ptr<grpc::Channel>& channel);
  void WriteUntilBroken(Stream& stream);
  // The next message to write: reports first, then heartbeat, then progress. Nothing when the session must stop or the stream broke.
  std::optional<internal::v1::WorkerMessage> NextMessage();
  std::optional<internal::v1::WorkerMessage> NextReportLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReadUntilBroken(Stream& stream);
  void Handle(const internal::v1::CoordinatorMessage& message);
  void WakeLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MarkUnsentLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  internal::v1::WorkerMessage Envelope() const;

  const SessionOptions options_;
  SessionEvents& events_;
  const Clock& clock_;
  std::thread thread_;

  Mutex mutex_;
  CondVar changed_;
  bool wake_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;
  bool assigned_ ABSL_GUARDED_BY(mutex_) = false;
  bool acknowledged_ ABSL_GUARDED_BY(mutex_) = false;
  bool fenced_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Duration last_contact_ ABSL_GUARDED_BY(mutex_);
  absl::Duration last_heartbeat_ ABSL_GUARDED_BY(mutex_);
  absl::Duration last_progress_ ABSL_GUARDED_BY(mutex_);
  std::optional<v1::Progress> progress_ ABSL_GUARDED_BY(mutex_);
  grpc::ClientContext* context_ ABSL_GUARDED_BY(mutex_) = nullptr;  // of the open stream

  // Reports wait here until they are answered; `sent` is cleared when the stream breaks.
  template <typename T>
  struct Report {
    T body;
    bool sent = false;
  };
  std::map<int64_t, Report<internal::v1::CheckpointPrepared>> checkpoints_ ABSL_GUARDED_BY(mutex_);
  std::optional<Report<internal::v1::DataReport>> data_ ABSL_GUARDED_BY(mutex_);
  std::optional<Report<internal::v1::Terminal>> terminal_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::worker::agent
