// JobService of the public API. Handlers translate; what they mean is in the store and the supervisor.
#pragma once

#include "server/api/api_context.h"
#include "server/api/stream_registry.h"
#include "traind/v1/job.grpc.pb.h"

namespace traind::server::api {

// Thread-safe. Methods that this version does not have answer UNIMPLEMENTED.
class JobService final : public v1::JobService::CallbackService {
 public:
  // Both outlive the service.
  JobService(const ApiContext& api, StreamRegistry& streams) : api_(api), streams_(streams) {}

  grpc::ServerUnaryReactor* CreateJob(grpc::CallbackServerContext*, const v1::CreateJobRequest*, v1::Job*) override;
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext*, const v1::GetJobRequest*, v1::Job*) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext*, const v1::ListJobsRequest*, v1::ListJobsResponse*) override;
  grpc::ServerUnaryReactor* UpdateJob(grpc::CallbackServerContext*, const v1::UpdateJobRequest*, v1::Job*) override;
  grpc::ServerUnaryReactor* CancelJob(grpc::CallbackServerContext*, const v1::CancelJobRequest*, v1::Job*) override;
  grpc::ServerUnaryReactor* PauseJob(grpc::CallbackServerContext*, const v1::PauseJobRequest*, v1::Job*) override;
  grpc::ServerUnaryReactor* ResumeJob(grpc::CallbackServerContext*, const v1::ResumeJobRequest*, v1::Job*) override;
  grpc::ServerUnaryReactor* RetryJob(grpc::CallbackServerContext*, const v1::RetryJobRequest*, v1::Job*) override;
  grpc::ServerUnaryReactor* DeleteJob(grpc::CallbackServerContext*, const v1::DeleteJobRequest*, google::protobuf::Empty*) override;
  grpc::ServerWriteReactor<v1::WatchJobsResponse>* WatchJobs(grpc::CallbackServerContext*, const v1::WatchJobsRequest*) override;
  grpc::ServerWriteReactor<v1::StreamLogsResponse>* StreamLogs(grpc::CallbackServerContext*, const v1::StreamLogsRequest*) override;
  grpc::ServerWriteReactor<v1::StreamMetricsResponse>* StreamMetrics(grpc::CallbackServerContext*,
                                                                     const v1::StreamMetricsRequest*) override;
  grpc::ServerUnaryReactor* ListCheckpoints(grpc::CallbackServerContext*, const v1::ListCheckpointsRequest*,
                                            v1::ListCheckpointsResponse*) override;
  grpc::ServerUnaryReactor* PinCheckpoint(grpc::CallbackServerContext*, const v1::PinCheckpointRequest*, v1::Checkpoint*) override;
  grpc::ServerUnaryReactor* ListArtifacts(grpc::CallbackServerContext*, const v1::ListArtifactsRequest*,
                                          v1::ListArtifactsResponse*) override;
  grpc::ServerWriteReactor<v1::DownloadArtifactResponse>* DownloadArtifact(grpc::CallbackServerContext*,
                                                                           const v1::DownloadArtifactRequest*) override;
  grpc::ServerUnaryReactor* ValidateData(grpc::CallbackServerContext*, const v1::ValidateDataRequest*, v1::ValidateDataResponse*) override;

 private:
  const ApiContext& api_;
  StreamRegistry& streams_;
};

}  // namespace traind::server::api
