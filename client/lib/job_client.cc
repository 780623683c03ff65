#include "client/lib/job_client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/lib/paging.h"
#include "client/lib/resumable_stream.h"
#include "client/lib/sha256.h"
#include "client/lib/transport.h"
#include "common/base/status.h"
#include "traind/v1/job.grpc.pb.h"

namespace traind::client {
namespace {

// Below the five minutes that the server accepts.
constexpr absl::Duration kDataDeadline = absl::Seconds(290);

// Drops the bytes of a message that were given out before: after a reconnection a server may start earlier than asked.
class LogPosition {
 public:
  bool Accept(v1::StreamLogsResponse& message) {
    if (message.heartbeat()) return false;
    if (message.attempt() == attempt_ && message.offset() < next_) {
      const auto had = std::min<int64_t>(next_ - message.offset(), static_cast<int64_t>(message.data().size()));
      message.mutable_data()->erase(0, static_cast<size_t>(had));
      message.set_offset(message.offset() + had);
    }
    if (message.data().empty()) return false;
    attempt_ = message.attempt();
    next_ = message.offset() + static_cast<int64_t>(message.data().size());
    return true;
  }

 private:
  int64_t attempt_ = -1;
  int64_t next_ = 0;
};

template <typename Request, typename Response>
void ResumeByToken(const Response& response, Request& request) {
  if (!response.resume_token().empty()) request.set_resume_token(response.resume_token());
}

// Counts and hashes what a download gave out.
class Received {
 public:
  explicit Received(const std::function<absl::Status(absl::string_view)>& sink) : sink_(sink) {}
  absl::Status Take(const v1::DownloadArtifactResponse& piece) {
    if (piece.offset() != size_) return absl::DataLossError(absl::StrCat("a piece at ", piece.offset(), " came where ", size_, " was due"));
    hash_.Update(piece.data());
    size_ += static_cast<int64_t>(piece.data().size());
    return sink_(piece.data());
  }
  absl::Status Verify(const v1::DownloadArtifactResponse& end) {
    if (size_ == end.size_bytes() && hash_.Hex() == end.sha256()) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat("what arrived does not match size and SHA-256 of the file; get it again"));
  }

 private:
  const std::function<absl::Status(absl::string_view)>& sink_;
  Sha256 hash_;
  int64_t size_ = 0;
};

}  // namespace

struct JobClient::Stub {
  std::unique_ptr<v1::JobService::Stub> service;

  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(const Transport& transport,
                                grpc::Status (v1::JobService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request, absl::Duration deadline = kCallDeadline) {
    Response response;
    RETURN_IF_ERROR(
        transport.Call(deadline, [&](grpc::ClientContext& context) { return (service.get()->*method)(&context, request, &response); }));
    return response;
  }
};

JobClient::JobClient(const Transport& transport)
    : transport_(transport), stub_(std::make_unique<Stub>(Stub{v1::JobService::NewStub(transport.channel())})) {}
JobClient::~JobClient() = default;

absl::StatusOr<v1::Job> JobClient::Create(const v1::CreateJobRequest& request) {
  return stub_->Call(transport_, &v1::JobService::Stub::CreateJob, request);
}

absl::StatusOr<v1::Job> JobClient::Get(const std::string& name) {
  v1::GetJobRequest request;
  request.set_name(name);
  return stub_->Call(transport_, &v1::JobService::Stub::GetJob, request);
}

absl::StatusOr<std::vector<v1::Job>> JobClient::List(const std::string& filter) {
  v1::ListJobsRequest request;
  request.set_filter(filter);
  return AllPages<v1::Job>(
      request, [this](const v1::ListJobsRequest& page) { return stub_->Call(transport_, &v1::JobService::Stub::ListJobs, page); },
      [](v1::ListJobsResponse& page) { return page.mutable_jobs(); });
}

absl::StatusOr<v1::Job> JobClient::Cancel(const std::string& name, const std::string& request_id) {
  v1::CancelJobRequest request;
  request.set_name(name);
  request.set_request_id(request_id);
  return stub_->Call(transport_, &v1::JobService::Stub::CancelJob, request);
}

absl::Status JobClient::Delete(const std::string& name, const std::string& request_id) {
  v1::DeleteJobRequest request;
  request.set_name(name);
  request.set_request_id(request_id);
  return stub_->Call(transport_, &v1::JobService::Stub::DeleteJob, request).status();
}

absl::StatusOr<std::vector<v1::Checkpoint>> JobClient::ListCheckpoints(const std::string& name) {
  v1::ListCheckpointsRequest request;
  request.set_parent(name);
  return AllPages<v1::Checkpoint>(
      request,
      [this](const v1::ListCheckpointsRequest& page) { return stub_->Call(transport_, &v1::JobService::Stub::ListCheckpoints, page); },
      [](v1::ListCheckpointsResponse& page) { return page.mutable_checkpoints(); });
}

absl::StatusOr<std::vector<v1::Artifact>> JobClient::ListArtifacts(const std::string& name) {
  v1::ListArtifactsRequest request;
  request.set_parent(name);
  ASSIGN_OR_RETURN(const v1::ListArtifactsResponse response, stub_->Call(transport_, &v1::JobService::Stub::ListArtifacts, request));
  return std::vector<v1::Artifact>(response.artifacts().begin(), response.artifacts().end());
}

absl::StatusOr<std::string> JobClient::ValidateData(const v1::JobSpec& spec) {
  v1::ValidateDataRequest request;
  *request.mutable_spec() = spec;
  ASSIGN_OR_RETURN(const v1::ValidateDataResponse response,
                   stub_->Call(transport_, &v1::JobService::Stub::ValidateData, request, kDataDeadline));
  return response.report_json();
}

std::unique_ptr<Stream<v1::WatchJobsResponse>> JobClient::Watch(const std::string& name, absl::Duration timeout) {
  using Request = v1::WatchJobsRequest;
  using Response = v1::WatchJobsResponse;
  StreamMethod<Request, Response> method;
  method.open = [this](grpc::ClientContext* context, const Request& request) { return stub_->service->WatchJobs(context, request); };
  method.resume = ResumeByToken<Request, Response>;
  method.accept = [](const Response& response) { return response.has_job(); };
  method.is_end = [](const Response&) { return false; };
  method.restart = [](Request& request) { return !std::exchange(*request.mutable_resume_token(), "").empty(); };
  Request request;
  request.set_name(name);
  return std::make_unique<ResumableStream<Request, Response>>(transport_, std::move(method), std::move(request), timeout);
}

std::unique_ptr<Stream<v1::StreamLogsResponse>> JobClient::Logs(const v1::StreamLogsRequest& request) {
  using Request = v1::StreamLogsRequest;
  using Response = v1::StreamLogsResponse;
  StreamMethod<Request, Response> method;
  method.open = [this](grpc::ClientContext* context, const Request& opened) { return stub_->service->StreamLogs(context, opened); };
  method.resume = ResumeByToken<Request, Response>;
  method.accept = [position = std::make_shared<LogPosition>()](Response& response) { return position->Accept(response); };
  method.is_end = [](const Response& response) { return response.end(); };
  return std::make_unique<ResumableStream<Request, Response>>(transport_, std::move(method), request, absl::InfiniteDuration());
}

std::unique_ptr<Stream<v1::StreamMetricsResponse>> JobClient::Metrics(const v1::StreamMetricsRequest& request) {
  using Request = v1::StreamMetricsRequest;
  using Response = v1::StreamMetricsResponse;
  StreamMethod<Request, Response> method;
  method.open = [this](grpc::ClientContext* context, const Request& opened) { return stub_->service->StreamMetrics(context, opened); };
  method.resume = ResumeByToken<Request, Response>;
  method.accept = [](const Response& response) { return !response.heartbeat(); };
  method.is_end = [](const Response& response) { return response.end(); };
  return std::make_unique<ResumableStream<Request, Response>>(transport_, std::move(method), request, absl::InfiniteDuration());
}

absl::Status JobClient::Download(const std::string& name, const std::string& path,
                                 const std::function<absl::Status(absl::string_view)>& sink) {
  using Request = v1::DownloadArtifactRequest;
  using Response = v1::DownloadArtifactResponse;
  StreamMethod<Request, Response> method;
  method.open = [this](grpc::ClientContext* context, const Request& request) { return stub_->service->DownloadArtifact(context, request); };
  method.resume = [](const Response& response, Request& request) {
    request.set_offset(std::max<int64_t>(request.offset(), response.offset() + static_cast<int64_t>(response.data().size())));
  };
  // A heartbeat of this stream is an empty message.
  method.accept = [](const Response& response) { return !response.data().empty(); };
  method.is_end = [](const Response& response) { return response.end(); };
  Request request;
  request.set_parent(name);
  request.set_path(path);
  ResumableStream<Request, Response> stream(transport_, std::move(method), std::move(request), absl::InfiniteDuration());
  Received received(sink);
  for (;;) {
    ASSIGN_OR_RETURN(const auto piece, stream.Next());
    if (!piece.has_value()) return absl::InternalError("the download ended twice");
    RETURN_IF_ERROR(received.Take(*piece));
    if (piece->end()) return received.Verify(*piece);
  }
}

}  // namespace traind::client
