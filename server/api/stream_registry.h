// All open server streams: how many there may be, their common heartbeat of ticks, and their common end.
#pragma once

#include <map>
#include <set>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"

namespace traind::server::api {

// A stream that wants to be looked at now and then.
class Tickable {
 public:
  virtual ~Tickable() = default;
  // Sends what is new, if anything.
  virtual void Tick() = 0;
  // Ends the stream with UNAVAILABLE and its resume token.
  virtual void EndForShutdown() = 0;
};

// Thread-safe. Owns one thread, which ticks every stream; a tick of an idle stream costs microseconds.
class StreamRegistry {
 public:
  StreamRegistry(int limit, int limit_per_owner);
  ~StreamRegistry();

  // RESOURCE_EXHAUSTED, reason STREAM_LIMIT, when there are too many, of all or of this owner; UNAVAILABLE when shutting down.
  absl::Status Add(Tickable* stream, const std::string& owner);
  // After it returns the stream is not ticked and will not be. Idempotent.
  void Remove(Tickable* stream, const std::string& owner);
  // Ends every stream; none can be added after it.
  void EndAll();

 private:
  void Run();

  const int limit_;
  const int limit_per_owner_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<Tickable*> streams_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int> per_owner_ ABSL_GUARDED_BY(mutex_);
  Tickable* ticking_ ABSL_GUARDED_BY(mutex_) = nullptr;  // called now, without the lock
  std::thread thread_;
};

}  // namespace traind::server::api
