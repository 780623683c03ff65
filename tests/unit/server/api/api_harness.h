// The services of the API on a socket of the test's own, over fakes.
#pragma once

#include <fcntl.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "common/rpc/channel.h"
#include "common/rpc/peer_table.h"
#include "common/rpc/status.h"
#include "common/rpc/unix_server.h"
#include "grpc/support/time.h"
#include "server/api/cluster_service.h"
#include "server/api/job_proto.h"
#include "server/api/job_service.h"
#include "server/api/unimplemented_services.h"
#include "server/api/worker_service.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/in_memory_job_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "tests/unit/server/fakes/fake_supervisor.h"

namespace traind::server::api {

inline constexpr int kStreamsPerUser = 150;
inline constexpr int kEventsKept = 400;

class ApiTest : public ::testing::Test {
 protected:
  ApiTest()
      : dev_null_(::open("/dev/null", O_WRONLY | O_CLOEXEC)),
        log_({.fd = dev_null_.get()}, clock_),
        api_{store_,
             supervisor_,
             clock_,
             log_,
             Settings(),
             [this](const grpc::CallbackServerContext& context) { return absl::StrCat("uid:", peers_.Find(context.peer()).value().uid); },
             [] { return std::string("127.0.0.1:9464"); }},
        streams_(api_.settings.streams, api_.settings.streams_per_user),
        job_service_(api_, streams_),
        cluster_service_(api_),
        worker_service_(supervisor_) {
    std::filesystem::create_directories(folder_ / "state");
    std::filesystem::create_directories(folder_ / "data");
    auto server =
        rpc::UnixServer::Start({.path = path_,
                                .services = {&job_service_, &cluster_service_, &sweep_service_, &endpoint_service_, &worker_service_},
                                .peers = &peers_});
    if (!server.ok()) std::abort();
    worker_service_.Open();
    server_ = *std::move(server);
    channel_ = rpc::UnixChannel(path_);
    jobs_ = v1::JobService::NewStub(channel_);
    cluster_ = v1::ClusterService::NewStub(channel_);
  }
  ~ApiTest() override {
    streams_.EndAll();
    server_->Shutdown(absl::Seconds(2));
  }

  ApiSettings Settings() const {
    ApiSettings settings;
    settings.version = "1.2.3";
    settings.state_folder = (folder_ / "state").string();
    settings.data_roots = {{"data", (folder_ / "data").string()}};
    settings.queued_jobs = 5;
    settings.disk_reserve = 1;
    settings.streams_per_user = kStreamsPerUser;
    return settings;
  }

  static v1::CreateJobRequest Request(const std::string& request_id = "") {
    v1::CreateJobRequest request;
    request.set_request_id(request_id);
    request.mutable_spec()->set_env("synthetic");
    request.mutable_spec()->mutable_dqn()->set_steps(1000);
    (*request.mutable_origins())["dqn.steps"] = "job.yaml:3";
    return request;
  }

  // One unary call; the answer is in `response`.
  template <typename Stub, typename Req, typename Res>
  static absl::Status Call(Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Req&, Res*), const Req& request,
                           Res& response) {
    grpc::ClientContext context;
    SetDeadline(context, 20);
    return rpc::FromGrpc((stub.*method)(&context, request, &response));
  }
  static void SetDeadline(grpc::ClientContext& context, int seconds) {
    context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(seconds, GPR_TIMESPAN)));
  }

  absl::StatusOr<v1::Job> Create(const v1::CreateJobRequest& request) {
    v1::Job job;
    RETURN_IF_ERROR(Call(*jobs_, &v1::JobService::Stub::CreateJob, request, job));
    return job;
  }
  // A job in the store, whatever the API would say to it.
  JobId Put(const std::string& id, domain::JobState state = domain::JobState::kPending, int attempts = 0) {
    domain::Job job;
    job.id = JobId(id);
    job.request_id = id;
    job.kind = "dqn";
    job.create_time = clock_.Now();
    job.state = state;
    for (int i = 1; i <= attempts; ++i) {
      domain::Attempt attempt;
      attempt.number = AttemptId(i);
      attempt.state = i < attempts || domain::IsTerminal(state) ? domain::AttemptState::kEnded : domain::AttemptState::kRunning;
      job.attempts.push_back(attempt);
    }
    if (!store_.Create(job).ok()) std::abort();
    clock_.Advance(absl::Seconds(1));
    return job.id;
  }
  void EndJob(const JobId& id, domain::JobState state) {
    domain::Event event;
    event.action = "STATE_CHANGED";
    const auto result = store_.Mutate(
        id,
        [state](domain::Job& job) {
          job.state = state;
          if (auto* attempt = job.current_attempt()) attempt->state = domain::AttemptState::kEnded;
          return absl::OkStatus();
        },
        event);
    if (!result.ok()) std::abort();
  }

  const testing::TempDir folder_;
  const std::string path_ = (folder_ / "s").string();
  testing::FakeClock clock_;
  const os::UniqueFd dev_null_;
  obs::Logger log_;
  testing::InMemoryJobStore store_{clock_, kEventsKept};
  fakes::FakeSupervisor supervisor_;
  rpc::PeerTable peers_;
  ApiContext api_;
  StreamRegistry streams_;
  JobService job_service_;
  ClusterService cluster_service_;
  WorkerService worker_service_;
  SweepService sweep_service_;
  EndpointService endpoint_service_;
  std::unique_ptr<rpc::UnixServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::JobService::Stub> jobs_;
  std::unique_ptr<v1::ClusterService::Stub> cluster_;
};

}  // namespace traind::server::api
