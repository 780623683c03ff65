// From a sparse specification as a client sent it to a job that can be stored: every check that needs no reading of data, all errors at
// once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "server/api/api_context.h"
#include "server/domain/job.h"
#include "traind/v1/job.pb.h"

namespace traind::server::api {

using OriginMap = google::protobuf::Map<std::string, std::string>;

// A specification without fault in itself.
struct CheckedSpec {
  v1::JobSpec normalised;
  std::string bytes;                           // deterministic
  std::string sha256;                          // of bytes, hex
  std::map<std::string, std::string> origins;  // of every value that the user set
  std::vector<std::string> user_set_paths;     // the same paths
  std::vector<FieldError> data_errors;         // what is wrong with its data files now
};

// INVALID_ARGUMENT, reason SPEC_INVALID, with every field error: ranges, combinations, and data files that are not there. A specification
// whose only fault is its data files is returned with them, for the caller may have stored it already.
absl::StatusOr<CheckedSpec> CheckSpec(const ApiContext& api, const v1::JobSpec& spec, const OriginMap& origins);

// Whether it could run here now. INVALID_ARGUMENT, reason SPEC_INVALID: data files; FAILED_PRECONDITION, reason INFEASIBLE: more than this
// machine has.
absl::Status CheckRunnable(const ApiContext& api, const CheckedSpec& spec);

// RESOURCE_EXHAUSTED, reason DISK_RESERVE or QUEUE_FULL, when no further job can be taken now.
absl::Status CheckRoom(const ApiContext& api);

// INVALID_ARGUMENT unless it is empty or 1 to 64 letters, digits or . _ -, such as a UUID.
absl::Status CheckRequestId(const std::string& request_id);

// The job to store: id and uid drawn, state PENDING. Without a request id it gets one of its own.
domain::Job MakeJob(const ApiContext& api, const std::string& request_id, const CheckedSpec& spec, std::string owner);

}  // namespace traind::server::api
