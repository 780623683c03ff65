// Jobs of the domain as messages of the API. Pure functions.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "google/protobuf/timestamp.pb.h"
#include "server/domain/job.h"
#include "server/supervisor/worker_sessions.h"
#include "traind/v1/cluster.pb.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

// "jobs/<id>".
std::string JobName(const JobId& id);
// Accepts "jobs/<id>" with an id of [a-z0-9][a-z0-9._-]{0,63}. INVALID_ARGUMENT otherwise.
absl::StatusOr<JobId> ParseJobName(const std::string& name);

v1::Job::State StateProto(domain::JobState state);
google::protobuf::Timestamp TimeProto(absl::Time time);
// Without progress and queue position, which live in the supervisor.
v1::Job ToProto(const domain::Job& job);
v1::Progress ToProto(const supervisor::Progress& progress);
v1::Event ToProto(const domain::Event& event);
v1::Checkpoint ToProto(const domain::Checkpoint& checkpoint);

}  // namespace traind::server::api
