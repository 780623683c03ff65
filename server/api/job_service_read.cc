// The methods of JobService that read.
#include <algorithm>
#include <compare>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status.h"
#include "server/api/download_artifact.h"
#include "server/api/job_filter.h"
#include "server/api/job_proto.h"
#include "server/api/job_service.h"
#include "server/api/job_view.h"
#include "server/api/pages.h"
#include "server/api/unary.h"

namespace traind::server::api {
namespace {

// A job's place in the list: pages go on after one, so that jobs which come and go meanwhile shift nothing.
struct Place {
  int64_t created = 0;  // nanoseconds since 1970
  std::string id;
  auto operator<=>(const Place&) const = default;
};

Place PlaceOf(const domain::Job& job) { return {absl::ToUnixNanos(job.create_time), job.id.value()}; }

absl::StatusOr<Place> ParsePlace(const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('.', 1));
  Place place{0, parts.second};
  if (!absl::SimpleAtoi(parts.first, &place.created)) return absl::InvalidArgumentError("page_token is not one that this list returned");
  return place;
}

absl::Status List(const ApiContext& api, const v1::ListJobsRequest& request, v1::ListJobsResponse& response) {
  ASSIGN_OR_RETURN(const Page page, ParsePage(request.page_size(), request.page_token(), request.filter()));
  ASSIGN_OR_RETURN(const JobFilter filter, JobFilter::Parse(request.filter()));
  const std::vector<store::JobPtr> jobs = api.store.List();
  auto next = jobs.begin();
  if (!page.start.empty()) {
    ASSIGN_OR_RETURN(const Place place, ParsePlace(page.start));
    next = std::upper_bound(jobs.begin(), jobs.end(), place,
                            [](const Place& after, const store::JobPtr& job) { return after < PlaceOf(*job); });
  }
  JobViews views(api);
  size_t bytes = 0;
  for (; next != jobs.end(); ++next) {
    if (!filter.Matches(**next)) continue;
    if (response.jobs_size() == page.size || bytes > kMaxPageBytes) {
      const Place last = PlaceOf(**std::prev(next));
      response.set_next_page_token(PageToken(absl::StrCat(last.created, ".", last.id), request.filter()));
      break;
    }
    *response.add_jobs() = views.Of(**next);
    bytes += response.jobs(response.jobs_size() - 1).ByteSizeLong();
  }
  return absl::OkStatus();
}

absl::Status ListCheckpointRows(const ApiContext& api, const v1::ListCheckpointsRequest& request, v1::ListCheckpointsResponse& response) {
  ASSIGN_OR_RETURN(const Page page, ParsePage(request.page_size(), request.page_token(), request.parent()));
  ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.parent()));
  RETURN_IF_ERROR(api.store.Get(id).status());
  int64_t after = -1;  // the step of the last one told
  if (!page.start.empty() && !absl::SimpleAtoi(page.start, &after)) {
    return absl::InvalidArgumentError("page_token is not one that this list returned");
  }
  std::vector<domain::Checkpoint> checkpoints = api.store.Checkpoints(id);
  std::sort(checkpoints.begin(), checkpoints.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  for (const domain::Checkpoint& checkpoint : checkpoints) {
    if (checkpoint.step <= after) continue;
    if (response.checkpoints_size() == page.size) {
      response.set_next_page_token(PageToken(absl::StrCat(response.checkpoints(page.size - 1).step()), request.parent()));
      break;
    }
    *response.add_checkpoints() = ToProto(checkpoint);
  }
  return absl::OkStatus();
}

}  // namespace

grpc::ServerUnaryReactor* JobService::GetJob(grpc::CallbackServerContext* context, const v1::GetJobRequest* request, v1::Job* response) {
  return Answer(api_, context, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const JobId id, ParseJobName(request->name()));
    ASSIGN_OR_RETURN(const store::JobPtr job, api_.store.Get(id));
    *response = JobViews(api_).Of(*job);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* JobService::ListJobs(grpc::CallbackServerContext* context, const v1::ListJobsRequest* request,
                                               v1::ListJobsResponse* response) {
  return Answer(api_, context, [&] { return List(api_, *request, *response); });
}

grpc::ServerUnaryReactor* JobService::ListCheckpoints(grpc::CallbackServerContext* context, const v1::ListCheckpointsRequest* request,
                                                      v1::ListCheckpointsResponse* response) {
  return Answer(api_, context, [&] { return ListCheckpointRows(api_, *request, *response); });
}

grpc::ServerUnaryReactor* JobService::ListArtifacts(grpc::CallbackServerContext* context, const v1::ListArtifactsRequest* request,
                                                    v1::ListArtifactsResponse* response) {
  return Answer(api_, context, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const JobId id, ParseJobName(request->parent()));
    RETURN_IF_ERROR(api_.store.Get(id).status());
    ASSIGN_OR_RETURN(const std::vector<v1::Artifact> artifacts, ListArtifactFiles(api_, id));
    response->mutable_artifacts()->Add(artifacts.begin(), artifacts.end());
    return absl::OkStatus();
  });
}

}  // namespace traind::server::api
