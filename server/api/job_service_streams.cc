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
#include "server/api/watch_jobs.h"

namespace traind::server::api {

grpc::ServerWriteReactor<v1::WatchJobsResponse>* JobService::WatchJobs(grpc::CallbackServerContext* context,
                                                                       const v1::WatchJobsRequest* request) {
  return PullStream<v1::WatchJobsResponse>::Start(streams_, api_.clock, api_.owner_of(*context), WatchJobsSource(api_, *request));
}

grpc::ServerWriteReactor<v1::StreamLogsResponse>* JobService::StreamLogs(grpc::CallbackServerContext* context,
                                                                         const v1::StreamLogsRequest* request) {
  return PullStream<v1::StreamLogsResponse>::Start(streams_, api_.clock, api_.owner_of(*context), StreamLogsSource(api_, *request));
}

grpc::ServerWriteReactor<v1::StreamMetricsResponse>* JobService::StreamMetrics(grpc::CallbackServerContext* context,
                                                                               const v1::StreamMetricsRequest* request) {
  return PullStream<v1::StreamMetricsResponse>::Start(streams_, api_.clock, api_.owner_of(*context), StreamMetricsSource(api_, *request));
}

grpc::ServerWriteReactor<v1::DownloadArtifactResponse>* JobService::DownloadArtifact(grpc::CallbackServerContext* context,
                                                                                     const v1::DownloadArtifactRequest* request) {
  return PullStream<v1::DownloadArtifactResponse>::Start(streams_, api_.clock, api_.owner_of(*context),
                                                         DownloadArtifactSource(api_, *request));
}

grpc::ServerUnaryReactor* JobService::ValidateData(grpc::CallbackServerContext* context, const v1::ValidateDataRequest* request,
                                                   v1::ValidateDataResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  absl::StatusOr<CheckedSpec> spec = CheckDeadline(*context).ok() ? CheckSpec(api_, request->spec(), {}) : CheckDeadline(*context);
  if (!spec.ok()) {
    reactor->Finish(rpc::ToGrpc(spec.status()));
    return reactor;
  }
  api_.supervisor.ValidateData(std::move(spec->bytes), std::move(spec->sha256), {}, [reactor, response](absl::StatusOr<std::string> report) {
    if (report.ok()) response->set_report_json(*std::move(report));
    reactor->Finish(rpc::ToGrpc(report.status()));
  });
  return reactor;
}

}  // namespace traind::server::api
