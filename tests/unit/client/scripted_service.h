// A daemon that answers as a test tells it to, on a real socket.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/mutex.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "tests/testing/temp_dir.h"
#include "traind/v1/cluster.grpc.pb.h"
#include "traind/v1/job.grpc.pb.h"

namespace traind::client {

// Set before the call that uses it; `calls` counts, from 1 on.
class ScriptedJobs final : public v1::JobService::Service {
 public:
  template <typename Request, typename Response>
  using Unary = std::function<grpc::Status(int call, const Request& request, Response* response)>;
  template <typename Request, typename Response>
  using Streaming = std::function<grpc::Status(int call, const Request& request, grpc::ServerWriter<Response>* writer)>;

  Unary<v1::CreateJobRequest, v1::Job> create;
  Unary<v1::GetJobRequest, v1::Job> get;
  Unary<v1::CancelJobRequest, v1::Job> cancel;
  Unary<v1::ListJobsRequest, v1::ListJobsResponse> list;
  Streaming<v1::WatchJobsRequest, v1::WatchJobsResponse> watch;
  Streaming<v1::StreamLogsRequest, v1::StreamLogsResponse> logs;
  Streaming<v1::DownloadArtifactRequest, v1::DownloadArtifactResponse> download;

  grpc::Status CreateJob(grpc::ServerContext*, const v1::CreateJobRequest* request, v1::Job* job) override {
    return Answer(create, *request, job);
  }
  grpc::Status GetJob(grpc::ServerContext*, const v1::GetJobRequest* request, v1::Job* job) override { return Answer(get, *request, job); }
  grpc::Status CancelJob(grpc::ServerContext*, const v1::CancelJobRequest* request, v1::Job* job) override {
    return Answer(cancel, *request, job);
  }
  grpc::Status ListJobs(grpc::ServerContext*, const v1::ListJobsRequest* request, v1::ListJobsResponse* jobs) override {
    return Answer(list, *request, jobs);
  }
  grpc::Status WatchJobs(grpc::ServerContext*, const v1::WatchJobsRequest* request,
                         grpc::ServerWriter<v1::WatchJobsResponse>* writer) override {
    return Answer(watch, *request, writer);
  }
  grpc::Status StreamLogs(grpc::ServerContext*, const v1::StreamLogsRequest* request,
                          grpc::ServerWriter<v1::StreamLogsResponse>* writer) override {
    return Answer(logs, *request, writer);
  }
  grpc::Status DownloadArtifact(grpc::ServerContext*, const v1::DownloadArtifactRequest* request,
                                grpc::ServerWriter<v1::DownloadArtifactResponse>* writer) override {
    return Answer(download, *request, writer);
  }

  int calls() const {
    MutexLock lock(mutex_);
    return calls_;
  }

 private:
  template <typename Script, typename Request, typename Out>
  grpc::Status Answer(const Script& script, const Request& request, Out* out) {
    int call = 0;
    {
      MutexLock lock(mutex_);
      call = ++calls_;
    }
    return script ? script(call, request, out) : grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "not in this test");
  }

  mutable Mutex mutex_;
  int calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

class ScriptedDaemon {
 public:
  ScriptedDaemon() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(absl::StrCat("unix:", address()), grpc::InsecureServerCredentials());
    builder.RegisterService(&jobs);
    server_ = builder.BuildAndStart();
  }
  ~ScriptedDaemon() { server_->Shutdown(std::chrono::system_clock::now()); }
  std::string address() const { return (folder_ / "s").string(); }

  ScriptedJobs jobs;

 private:
  testing::TempDir folder_;
  std::unique_ptr<grpc::Server> server_;
};

inline grpc::Status Unavailable() { return {grpc::StatusCode::UNAVAILABLE, "going down"}; }

}  // namespace traind::client
