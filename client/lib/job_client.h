// Calls of the JobService.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/lib/stream.h"
#include "traind/v1/job.pb.h"

namespace traind::client {

class Transport;

// Names are resource names: "jobs/dqn-7xk2". Every call may return UNAVAILABLE with reason UNREACHABLE (repeating it is safe, with the same
// request id where there is one), DEADLINE_EXCEEDED, CANCELLED with reason INTERRUPTED, and what the server answers. Thread-safe; streams
// must not outlive it.
class JobClient {
 public:
  explicit JobClient(const Transport& transport);
  ~JobClient();

  // `request` carries the request id. INVALID_ARGUMENT with field errors, ALREADY_EXISTS, FAILED_PRECONDITION, RESOURCE_EXHAUSTED.
  absl::StatusOr<v1::Job> Create(const v1::CreateJobRequest& request);
  absl::StatusOr<v1::Job> Get(const std::string& name);
  // All pages of a filter ("state=RUNNING AND labels.team=fx"), oldest first.
  absl::StatusOr<std::vector<v1::Job>> List(const std::string& filter);
  absl::StatusOr<v1::Job> Cancel(const std::string& name, const std::string& request_id);
  // FAILED_PRECONDITION for a job that has not ended.
  absl::Status Delete(const std::string& name, const std::string& request_id);
  absl::StatusOr<std::vector<v1::Checkpoint>> ListCheckpoints(const std::string& name);
  absl::StatusOr<std::vector<v1::Artifact>> ListArtifacts(const std::string& name);
  // The ingest report as JSON. Reads all data, so it may take minutes.
  absl::StatusOr<std::string> ValidateData(const v1::JobSpec& spec);

  // The job as it is, then every change; it has no end record. `timeout` may be infinite.
  std::unique_ptr<Stream<v1::WatchJobsResponse>> Watch(const std::string& name, absl::Duration timeout);
  // No byte comes twice, none is left out but those the server says it dropped.
  std::unique_ptr<Stream<v1::StreamLogsResponse>> Logs(const v1::StreamLogsRequest& request);
  std::unique_ptr<Stream<v1::StreamMetricsResponse>> Metrics(const v1::StreamMetricsRequest& request);
  // Gives the file to `sink` piece by piece; DATA_LOSS if what came is not what the server's SHA-256 says.
  absl::Status Download(const std::string& name, const std::string& path, const std::function<absl::Status(absl::string_view)>& sink);

 private:
  struct Stub;
  const Transport& transport_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace traind::client
