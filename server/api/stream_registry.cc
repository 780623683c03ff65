#include "server/api/stream_registry.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace traind::server::api {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(100);

absl::Status TooMany(const std::string& whose, int limit, const char* setting) {
  return WithReason(absl::ResourceExhaustedError(absl::StrCat(whose, " has ", limit, " open streams, as many as ", setting,
                                                              " allows; close some, or try again later")),
                    "STREAM_LIMIT");
}

}  // namespace

StreamRegistry::StreamRegistry(int limit, int limit_per_owner) : limit_(limit), limit_per_owner_(limit_per_owner) {
  thread_ = std::thread([this] { Run(); });
}

StreamRegistry::~StreamRegistry() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

absl::Status StreamRegistry::Add(Tickable* stream, const std::string& owner) {
  MutexLock lock(mutex_);
  if (ended_) return WithReason(absl::UnavailableError("traind is stopping; try again when it is back"), "SHUTTING_DOWN");
  if (static_cast<int>(streams_.size()) >= limit_) return TooMany("the daemon", limit_, "limits.streams");
  const auto open = per_owner_.find(owner);
  if (open != per_owner_.end() && open->second >= limit_per_owner_) return TooMany(owner, limit_per_owner_, "limits.streams_per_user");
  streams_.insert(stream);
  ++per_owner_[owner];
  changed_.NotifyAll();
  return absl::OkStatus();
}

void StreamRegistry::Remove(Tickable* stream, const std::string& owner) {
  MutexLock lock(mutex_);
  if (streams_.erase(stream) > 0 && --per_owner_[owner] == 0) per_owner_.erase(owner);
  // On the ticking thread itself the tick is what removes the stream, and waiting would be for ever.
  if (std::this_thread::get_id() == thread_.get_id()) return;
  changed_.Await(mutex_, [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return ticking_ != stream; });
}

void StreamRegistry::EndAll() {
  MutexLock lock(mutex_);
  ended_ = true;
  changed_.NotifyAll();
}

void StreamRegistry::Run() {
  for (;;) {
    std::vector<Tickable*> streams;
    bool end = false;
    {
      MutexLock lock(mutex_);
      const bool ended = ended_;
      changed_.Await(mutex_, [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return stopping_ || !streams_.empty(); });
      changed_.AwaitFor(mutex_, kTick, [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return stopping_ || ended_ != ended; });
      if (stopping_) return;
      end = ended_;
      streams.assign(streams_.begin(), streams_.end());
    }
    for (Tickable* stream : streams) {
      {
        MutexLock lock(mutex_);
        if (!streams_.contains(stream)) continue;
        ticking_ = stream;
      }
      end ? stream->EndForShutdown() : stream->Tick();
      MutexLock lock(mutex_);
      ticking_ = nullptr;
      changed_.NotifyAll();
    }
  }
}

}  // namespace traind::server::api
