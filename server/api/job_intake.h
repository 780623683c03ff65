// From a sparse specification as a client sent it to a job that can be stored: every check that needs no reading of data, all errors at once.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/api/api_context.h"
#include "server/domain/job.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

struct CheckedSpec {
  v1::JobSpec normalised;
  std::string bytes;   // deterministic
  std::string sha256;  // of bytes, hex
  std::vector<std::string> user_set_paths;
};

// INVALID_ARGUMENT, reason SPEC_INVALID, with every field error: ranges, combinations, data files that are not there.
// FAILED_PRECONDITION, reason INFEASIBLE, for more than this machine has.
absl::StatusOr<CheckedSpec> CheckSpec(const ApiContext& api, const v1::JobSpec& spec, const google::protobuf::Map<std::string, std::string>& origins);

// RESOURCE_EXHAUSTED, reason DISK_RESERVE or QUEUE_FULL, when no further job can be taken now.
absl::Status CheckRoom(const ApiContext& api);

// The job to store: id and uid drawn, state PENDING.
absl::StatusOr<domain::Job> MakeJob(const ApiContext& api, const v1::CreateJobRequest& request, const CheckedSpec& spec, std::string owner);

}  // namespace traind::server::api
