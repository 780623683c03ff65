#include "server/api/stream_logs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/bounded_log.h"
#include "server/api/attempt_cursor.h"
#include "server/api/job_proto.h"

namespace traind::server::api {
namespace {

constexpr int64_t kLogChunk = 64 << 10;

// The bytes of [begin, end); less where the log is dropping them.
absl::StatusOr<std::string> ReadRange(const std::string& folder, int64_t begin, int64_t end) {
  std::string text;
  for (int64_t at = begin; at < end;) {
    ASSIGN_OR_RETURN(const os::LogChunk chunk, os::ReadBoundedLog(folder, at, end - at));
    if (chunk.data.empty() || chunk.offset >= end) break;
    // Dropped ones are made up for, so that the others keep their place.
    text.append(static_cast<size_t>(chunk.offset - at), ' ');
    text += chunk.data;
    at = chunk.offset + static_cast<int64_t>(chunk.data.size());
  }
  return text;
}

class LogSource final : public StreamSource<v1::StreamLogsResponse> {
 public:
  LogSource(const ApiContext& api, JobId job, const v1::StreamLogsRequest& request, AttemptCursor cursor)
      : api_(api), job_(std::move(job)), rank_(request.rank()), follow_(request.follow()), cursor_(cursor) {}

  absl::StatusOr<std::optional<v1::StreamLogsResponse>> Next() override {
    if (done_) return std::nullopt;
    // The job is read before its files: what ended then has written all its bytes already.
    ASSIGN_OR_RETURN(const store::JobPtr job, api_.store.Get(job_));
    if (cursor_.attempt == 0) cursor_.attempt = std::min<int64_t>(NewestAttempt(*job), 1);
    ASSIGN_OR_RETURN(const os::LogChunk chunk, os::ReadBoundedLog(Folder(cursor_.attempt), cursor_.offset, kLogChunk));
    if (!chunk.data.empty()) {
      cursor_.offset = chunk.offset + static_cast<int64_t>(chunk.data.size());
      v1::StreamLogsResponse message = Position();
      message.set_offset(chunk.offset);
      message.set_data(chunk.data);
      message.set_dropped_bytes(chunk.dropped_bytes);
      return message;
    }
    if (follow_ && cursor_.attempt < NewestAttempt(*job)) {
      cursor_ = {cursor_.attempt + 1, 0};
      return Next();
    }
    if (follow_ && !(domain::IsTerminal(job->state) && HasEnded(*job, cursor_.attempt))) return std::nullopt;
    done_ = true;
    v1::StreamLogsResponse message = Position();
    message.set_offset(cursor_.offset);
    message.set_end(true);
    message.set_final_state(StateProto(job->state));
    return message;
  }

  bool done() const override { return done_; }
  v1::StreamLogsResponse Heartbeat() const override {
    v1::StreamLogsResponse message = Position();
    message.set_offset(cursor_.offset);
    message.set_heartbeat(true);
    return message;
  }
  std::string resume_token() const override { return cursor_.Token(); }

  // Moves to the start of the last `lines` lines. Reads backwards, a chunk at a time.
  absl::Status SeekTail(int lines) {
    const std::string folder = Folder(cursor_.attempt);
    ASSIGN_OR_RETURN(const os::LogRange range, os::BoundedLogRange(folder));
    cursor_.offset = range.begin;
    int ends = 0;
    for (int64_t chunk_end = range.end; chunk_end > range.begin;) {
      const int64_t begin = std::max(range.begin, chunk_end - kLogChunk);
      ASSIGN_OR_RETURN(const std::string text, ReadRange(folder, begin, chunk_end));
      for (size_t i = text.size(); i-- > 0;) {
        const int64_t after = begin + static_cast<int64_t>(i) + 1;
        // The end of the log ends no further line; a line that is being written has no end yet and counts as one.
        if (text[i] != '\n' || after == range.end || ++ends < lines) continue;
        cursor_.offset = after;
        return absl::OkStatus();
      }
      chunk_end = begin;
    }
    return absl::OkStatus();
  }

 private:
  std::string Folder(int64_t attempt) const { return absl::StrCat(api_.JobFolder(job_), "/attempts/", attempt, "/rank", rank_, "/log"); }
  v1::StreamLogsResponse Position() const {
    v1::StreamLogsResponse message;
    message.set_attempt(cursor_.attempt);
    message.set_rank(rank_);
    message.set_resume_token(cursor_.Token());
    return message;
  }

  const ApiContext& api_;
  const JobId job_;
  const int rank_;
  const bool follow_;
  AttemptCursor cursor_;
  bool done_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamSource<v1::StreamLogsResponse>>> StreamLogsSource(const ApiContext& api,
                                                                                       const v1::StreamLogsRequest& request) {
  ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.name()));
  ASSIGN_OR_RETURN(const store::JobPtr job, api.store.Get(id));
  if (request.rank() < 0 || request.rank() >= job->slots) {
    return absl::InvalidArgumentError(absl::StrCat("rank ", request.rank(), " is not one of ", request.name(), ", which has ", job->slots));
  }
  if (request.attempt() < 0 || request.attempt() > NewestAttempt(*job)) {
    return absl::NotFoundError(absl::StrCat(request.name(), " has no attempt ", request.attempt(), "; it has ", NewestAttempt(*job)));
  }
  // The newest attempt unless another is named.
  AttemptCursor cursor{request.attempt() > 0 ? request.attempt() : NewestAttempt(*job), 0};
  const bool from_token = !request.resume_token().empty();
  if (from_token) {
    ASSIGN_OR_RETURN(cursor, AttemptCursor::Parse(request.resume_token(), *job));
  }
  auto source = std::make_unique<LogSource>(api, id, request, cursor);
  if (request.tail_lines() > 0 && !from_token) RETURN_IF_ERROR(source->SeekTail(request.tail_lines()));
  return source;
}

}  // namespace traind::server::api
