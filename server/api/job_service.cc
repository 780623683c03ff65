// The unary methods that change or read jobs; see job_service_streams.cc for the others.
#include "server/api/job_service.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "server/api/download_artifact.h"
#include "server/api/job_filter.h"
#include "server/api/job_intake.h"
#include "server/api/job_proto.h"
#include "server/api/job_view.h"
#include "server/api/pages.h"
#include "server/api/unary.h"

namespace traind::server::api {
namespace {

absl::Status Create(const ApiContext& api, std::string owner, const v1::CreateJobRequest& request, v1::Job& response) {
  ASSIGN_OR_RETURN(const CheckedSpec spec, CheckSpec(api, request.spec(), request.origins()));
  ASSIGN_OR_RETURN(domain::Job job, MakeJob(api, request, spec, std::move(owner)));
  if (request.validate_only()) {
    response = ToProto(job);
    response.clear_name();
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckRoom(api));
  ASSIGN_OR_RETURN(const store::JobStore::Created created, api.store.Create(std::move(job)));
  response = JobView(api, *created.job);
  return absl::OkStatus();
}

// Asks for the end of a job; one that has ended, or is ending, stays as it is.
absl::Status CancelState(domain::Job& job, absl::Time now) {
  switch (job.state) {
    case domain::JobState::kPending:
    case domain::JobState::kSuspended:
      job.state = domain::JobState::kCancelled;
      job.end_time = now;
      job.state_message = "cancelled before it ran";
      break;
    case domain::JobState::kStarting:
    case domain::JobState::kRunning:
    case domain::JobState::kSuspending:
      job.state = domain::JobState::kCancelling;
      job.state_message = "stopping its workers";
      break;
    default:
      return absl::OkStatus();
  }
  job.state_reason = "CANCEL_REQUESTED";
  return absl::OkStatus();
}

absl::Status Cancel(const ApiContext& api, const std::string& owner, const v1::CancelJobRequest& request, v1::Job& response) {
  ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.name()));
  ASSIGN_OR_RETURN(store::JobPtr job, api.store.Get(id));
  if (!domain::IsTerminal(job->state) && job->state != domain::JobState::kCancelling) {
    domain::Event event;
    event.actor = owner;
    event.action = "CANCEL_REQUESTED";
    const absl::Time now = api.clock.Now();
    ASSIGN_OR_RETURN(job, api.store.Mutate(id, [now](domain::Job& changed) { return CancelState(changed, now); }, std::move(event)));
  }
  response = JobView(api, *job);
  return absl::OkStatus();
}

absl::Status List(const ApiContext& api, const v1::ListJobsRequest& request, v1::ListJobsResponse& response) {
  ASSIGN_OR_RETURN(const Page page, ParsePage(request.page_size(), request.page_token()));
  ASSIGN_OR_RETURN(const JobFilter filter, JobFilter::Parse(request.filter()));
  // The token counts jobs in the order of creation: a new one comes after every page, and an older one that is deleted only shifts.
  int64_t index = 0;
  for (const store::JobPtr& job : api.store.List()) {
    if (index++ < page.start || !filter.Matches(*job)) continue;
    if (response.jobs_size() == page.size) {
      response.set_next_page_token(absl::StrCat(index - 1));
      break;
    }
    *response.add_jobs() = JobView(api, *job);
  }
  return absl::OkStatus();
}

absl::Status ListCheckpointRows(const ApiContext& api, const v1::ListCheckpointsRequest& request, v1::ListCheckpointsResponse& response) {
  ASSIGN_OR_RETURN(const Page page, ParsePage(request.page_size(), request.page_token()));
  ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.parent()));
  RETURN_IF_ERROR(api.store.Get(id).status());
  const std::vector<domain::Checkpoint> checkpoints = api.store.Checkpoints(id);
  for (size_t i = static_cast<size_t>(page.start); i < checkpoints.size(); ++i) {
    if (response.checkpoints_size() == page.size) {
      response.set_next_page_token(absl::StrCat(i));
      break;
    }
    *response.add_checkpoints() = ToProto(checkpoints[i]);
  }
  return absl::OkStatus();
}

}  // namespace

grpc::ServerUnaryReactor* JobService::CreateJob(grpc::CallbackServerContext* context, const v1::CreateJobRequest* request, v1::Job* response) {
  return Answer(context, [&] { return Create(api_, api_.owner_of(*context), *request, *response); });
}

grpc::ServerUnaryReactor* JobService::GetJob(grpc::CallbackServerContext* context, const v1::GetJobRequest* request, v1::Job* response) {
  return Answer(context, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const JobId id, ParseJobName(request->name()));
    ASSIGN_OR_RETURN(const store::JobPtr job, api_.store.Get(id));
    *response = JobView(api_, *job);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* JobService::ListJobs(grpc::CallbackServerContext* context, const v1::ListJobsRequest* request,
                                               v1::ListJobsResponse* response) {
  return Answer(context, [&] { return List(api_, *request, *response); });
}

grpc::ServerUnaryReactor* JobService::CancelJob(grpc::CallbackServerContext* context, const v1::CancelJobRequest* request, v1::Job* response) {
  return Answer(context, [&] { return Cancel(api_, api_.owner_of(*context), *request, *response); });
}

grpc::ServerUnaryReactor* JobService::DeleteJob(grpc::CallbackServerContext* context, const v1::DeleteJobRequest* request,
                                                google::protobuf::Empty*) {
  return Answer(context, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const JobId id, ParseJobName(request->name()));
    domain::Event event;
    event.actor = api_.owner_of(*context);
    event.action = "DELETED";
    return api_.store.Delete(id, std::move(event));
  });
}

grpc::ServerUnaryReactor* JobService::ListCheckpoints(grpc::CallbackServerContext* context, const v1::ListCheckpointsRequest* request,
                                                      v1::ListCheckpointsResponse* response) {
  return Answer(context, [&] { return ListCheckpointRows(api_, *request, *response); });
}

grpc::ServerUnaryReactor* JobService::ListArtifacts(grpc::CallbackServerContext* context, const v1::ListArtifactsRequest* request,
                                                    v1::ListArtifactsResponse* response) {
  return Answer(context, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const JobId id, ParseJobName(request->parent()));
    RETURN_IF_ERROR(api_.store.Get(id).status());
    ASSIGN_OR_RETURN(const std::vector<v1::Artifact> artifacts, ListArtifactFiles(api_, id));
    response->mutable_artifacts()->Add(artifacts.begin(), artifacts.end());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* JobService::UpdateJob(grpc::CallbackServerContext* context, const v1::UpdateJobRequest*, v1::Job*) {
  return AnswerUnimplemented(context, "UpdateJob");
}
grpc::ServerUnaryReactor* JobService::PauseJob(grpc::CallbackServerContext* context, const v1::PauseJobRequest*, v1::Job*) {
  return AnswerUnimplemented(context, "PauseJob");
}
grpc::ServerUnaryReactor* JobService::ResumeJob(grpc::CallbackServerContext* context, const v1::ResumeJobRequest*, v1::Job*) {
  return AnswerUnimplemented(context, "ResumeJob");
}
grpc::ServerUnaryReactor* JobService::RetryJob(grpc::CallbackServerContext* context, const v1::RetryJobRequest*, v1::Job*) {
  return AnswerUnimplemented(context, "RetryJob");
}
grpc::ServerUnaryReactor* JobService::PinCheckpoint(grpc::CallbackServerContext* context, const v1::PinCheckpointRequest*, v1::Checkpoint*) {
  return AnswerUnimplemented(context, "PinCheckpoint");
}

}  // namespace traind::server::api
