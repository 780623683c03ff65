// Where a stream stands in what the attempts of a job wrote: attempt and byte offset. Streams of logs and of metrics share it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "server/api/api_context.h"
#include "server/domain/job.h"

namespace traind::server::api {

struct AttemptCursor {
  int64_t attempt = 0;  // 0: none has started yet
  int64_t offset = 0;

  std::string Token() const;
  // INVALID_ARGUMENT when `token` is none of ours, OUT_OF_RANGE when it names an attempt that `job` does not have.
  static absl::StatusOr<AttemptCursor> Parse(const std::string& token, const domain::Job& job);
};

// The number of the job's newest attempt, 0 if it has none.
int64_t NewestAttempt(const domain::Job& job);
// Nothing more will be written for attempt `attempt`: it has ended, and its processes too.
bool HasEnded(const domain::Job& job, int64_t attempt);

}  // namespace traind::server::api
