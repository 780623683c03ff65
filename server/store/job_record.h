// Jobs and checkpoints as the JSON text of their rows. Reading accepts records with missing members (an older version's) and ignores
// unknown ones. Stateless, thread-safe.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/domain/job.h"

namespace traind::server::store {

// Nanoseconds since 1970; InfinitePast becomes the least value.
int64_t ToNanos(absl::Time time);
absl::Time FromNanos(int64_t nanos);

// Everything but the specification's bytes, which have a column of their own.
std::string ToRecord(const domain::Job& job);
// DATA_LOSS if `record` is not one.
absl::StatusOr<domain::Job> JobFromRecord(absl::string_view record);

std::string ToRecord(const domain::Checkpoint& checkpoint);
absl::StatusOr<domain::Checkpoint> CheckpointFromRecord(absl::string_view record);

}  // namespace traind::server::store
