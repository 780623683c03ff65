// The methods that change jobs; job_service_read.cc and job_service_streams.cc have the others.
#include "server/api/job_service.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "server/api/job_intake.h"
#include "server/api/job_proto.h"
#include "server/api/job_view.h"
#include "server/api/unary.h"

namespace traind::server::api {
namespace {

constexpr char kDeleted[] = "DELETED";
constexpr int kEventsPerRead = 256;

std::string DeleteMessage(const v1::DeleteJobRequest& request) {
  return request.request_id().empty() ? "" : absl::StrCat("request ", request.request_id());
}

// The job that this request made before, if any. A repeat must be answered with it whatever has changed since: data that are gone, a queue
// that is full now.
store::JobPtr MadeBefore(const ApiContext& api, const std::string& request_id, const CheckedSpec& spec) {
  if (request_id.empty()) return nullptr;
  for (const store::JobPtr& job : api.store.List()) {
    if (job->request_id == request_id && job->spec_sha256 == spec.sha256) return job;
  }
  return nullptr;
}

absl::Status Create(const ApiContext& api, const std::string& owner, const v1::CreateJobRequest& request, v1::Job& response) {
  RETURN_IF_ERROR(CheckRequestId(request.request_id()));
  ASSIGN_OR_RETURN(const CheckedSpec spec, CheckSpec(api, request.spec(), request.origins()));
  if (const store::JobPtr job = MadeBefore(api, request.request_id(), spec); job != nullptr && !request.validate_only()) {
    response = JobViews(api).Of(*job);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckRunnable(api, spec));
  RETURN_IF_ERROR(CheckRoom(api));
  domain::Job job = MakeJob(api, request.request_id(), spec, owner);
  if (request.validate_only()) {
    response = ToProto(job);
    response.clear_name();
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const store::JobStore::Created created, api.store.Create(std::move(job)));
  // Nobody has looked at it yet, so it has no place in the queue to be asked for.
  response = ToProto(*created.job);
  if (!created.existed) {
    api.log.Info("job created", {{"job_id", created.job->id.value()}, {"owner", owner}, {"request_id", created.job->request_id}});
  }
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
  RETURN_IF_ERROR(CheckRequestId(request.request_id()));
  ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.name()));
  ASSIGN_OR_RETURN(store::JobPtr job, api.store.Get(id));
  if (!domain::IsTerminal(job->state) && job->state != domain::JobState::kCancelling) {
    domain::Event event;
    event.actor = owner;
    event.action = "CANCEL_REQUESTED";
    const absl::Time now = api.clock.Now();
    ASSIGN_OR_RETURN(job, api.store.Mutate(
                              id, [now](domain::Job& changed) { return CancelState(changed, now); }, std::move(event)));
    api.log.Info("job cancelled", {{"job_id", id.value()}, {"owner", owner}, {"request_id", request.request_id()}});
  }
  response = JobViews(api).Of(*job);
  return absl::OkStatus();
}

// Whether this request removed the job before: the event of the removal says so.
bool DeletedBefore(const ApiContext& api, const v1::DeleteJobRequest& request) {
  if (request.request_id().empty()) return false;
  int64_t after = 0;
  for (;;) {
    const absl::StatusOr<std::vector<domain::Event>> events = api.store.Events(request.name(), after, kEventsPerRead);
    if (!events.ok() || events->empty()) return false;
    for (const domain::Event& event : *events) {
      if (event.action == kDeleted && event.message == DeleteMessage(request)) return true;
    }
    after = events->back().sequence;
  }
}

absl::Status Delete(const ApiContext& api, const std::string& owner, const v1::DeleteJobRequest& request) {
  RETURN_IF_ERROR(CheckRequestId(request.request_id()));
  ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.name()));
  domain::Event event;
  event.actor = owner;
  event.action = kDeleted;
  event.message = DeleteMessage(request);
  const absl::Status status = api.store.Delete(id, std::move(event));
  if (absl::IsNotFound(status) && DeletedBefore(api, request)) return absl::OkStatus();
  if (status.ok()) api.log.Info("job deleted", {{"job_id", id.value()}, {"owner", owner}, {"request_id", request.request_id()}});
  return status;
}

}  // namespace

grpc::ServerUnaryReactor* JobService::CreateJob(grpc::CallbackServerContext* context, const v1::CreateJobRequest* request,
                                                v1::Job* response) {
  return Answer(api_, context, [&] { return Create(api_, api_.owner_of(*context), *request, *response); });
}

grpc::ServerUnaryReactor* JobService::CancelJob(grpc::CallbackServerContext* context, const v1::CancelJobRequest* request,
                                                v1::Job* response) {
  return Answer(api_, context, [&] { return Cancel(api_, api_.owner_of(*context), *request, *response); });
}

grpc::ServerUnaryReactor* JobService::DeleteJob(grpc::CallbackServerContext* context, const v1::DeleteJobRequest* request,
                                                google::protobuf::Empty*) {
  return Answer(api_, context, [&] { return Delete(api_, api_.owner_of(*context), *request); });
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
grpc::ServerUnaryReactor* JobService::PinCheckpoint(grpc::CallbackServerContext* context, const v1::PinCheckpointRequest*,
                                                    v1::Checkpoint*) {
  return AnswerUnimplemented(context, "PinCheckpoint");
}

}  // namespace traind::server::api
