// The streaming methods of JobService, and the data check, which answers when its worker has ended.
#include <utility>

#include "common/base/status.h"
#include "server/api/download_artifact.h"
#include "server/api/job_intake.h"
#include "server/api/job_service.h"
#include "server/api/pull_stream.h"
#include "server/api/stream_logs.h"
#include "server/api/stream_metrics.h"
#include "server/api/unary.h"
#include "server/api/validate_data.h"
#include "server/api/watch_jobs.h"

namespace traind::server::api {

grpc::ServerWriteReactor<v1::WatchJobsResponse>* JobService::WatchJobs(grpc::CallbackServerContext* context,
                                                                       const v1::WatchJobsRequest* request) {
  return PullStream<v1::WatchJobsResponse>::Start(api_, streams_, api_.owner_of(*context), WatchJobsSource(api_, *request));
}

grpc::ServerWriteReactor<v1::StreamLogsResponse>* JobService::StreamLogs(grpc::CallbackServerContext* context,
                                                                         const v1::StreamLogsRequest* request) {
  return PullStream<v1::StreamLogsResponse>::Start(api_, streams_, api_.owner_of(*context), StreamLogsSource(api_, *request));
}

grpc::ServerWriteReactor<v1::StreamMetricsResponse>* JobService::StreamMetrics(grpc::CallbackServerContext* context,
                                                                               const v1::StreamMetricsRequest* request) {
  return PullStream<v1::StreamMetricsResponse>::Start(api_, streams_, api_.owner_of(*context), StreamMetricsSource(api_, *request));
}

grpc::ServerWriteReactor<v1::DownloadArtifactResponse>* JobService::DownloadArtifact(grpc::CallbackServerContext* context,
                                                                                     const v1::DownloadArtifactRequest* request) {
  return PullStream<v1::DownloadArtifactResponse>::Start(api_, streams_, api_.owner_of(*context), DownloadArtifactSource(api_, *request));
}

grpc::ServerUnaryReactor* JobService::ValidateData(grpc::CallbackServerContext* context, const v1::ValidateDataRequest* request,
                                                   v1::ValidateDataResponse* response) {
  const absl::Status deadline = CheckDeadline(*context);
  if (!deadline.ok()) return FinishWith(api_, context, deadline);
  absl::StatusOr<CheckedSpec> spec = CheckSpec(api_, request->spec(), {});
  const absl::Status runnable = spec.ok() ? CheckRunnable(api_, *spec) : spec.status();
  if (!runnable.ok()) return FinishWith(api_, context, runnable);
  return StartValidateData(api_, *std::move(spec), *response);
}

}  // namespace traind::server::api
