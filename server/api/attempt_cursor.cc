#include "server/api/attempt_cursor.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace traind::server::api {

std::string AttemptCursor::Token() const { return absl::StrCat(attempt, ":", offset); }

absl::StatusOr<AttemptCursor> AttemptCursor::Parse(const std::string& token, const domain::Job& job) {
  const std::vector<std::string> parts = absl::StrSplit(token, ':');
  AttemptCursor cursor;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &cursor.attempt) || !absl::SimpleAtoi(parts[1], &cursor.offset) ||
      cursor.attempt < 0 || cursor.offset < 0) {
    return absl::InvalidArgumentError("resume_token is not one that this stream returned; start without one");
  }
  if (cursor.attempt > NewestAttempt(job)) return absl::OutOfRangeError("resume_token names an attempt that this job does not have");
  return cursor;
}

int64_t NewestAttempt(const domain::Job& job) { return job.attempts.empty() ? 0 : job.attempts.back().number.value(); }

bool HasEnded(const domain::Job& job, int64_t attempt) {
  if (attempt < NewestAttempt(job)) return true;
  if (job.attempts.empty()) return domain::IsTerminal(job.state);
  return job.attempts.back().state == domain::AttemptState::kEnded;
}

}  // namespace traind::server::api
