#include <thread>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/util/message_differencer.h"
#include "grpcpp/generic/generic_stub.h"
#include "server/api/unary.h"
#include "tests/unit/server/api/api_harness.h"

namespace traind::server::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::StatusCodeIs;
using testing::StatusIs;

using JobStub = v1::JobService::Stub;
using ClusterStub = v1::ClusterService::Stub;

class JobServiceTest : public ApiTest {
 protected:
  absl::StatusOr<v1::Job> Get(const std::string& name) {
    v1::GetJobRequest request;
    request.set_name(name);
    v1::Job job;
    RETURN_IF_ERROR(Call(*jobs_, &JobStub::GetJob, request, job));
    return job;
  }
  absl::StatusOr<v1::Job> Cancel(const std::string& name) {
    v1::CancelJobRequest request;
    request.set_name(name);
    v1::Job job;
    RETURN_IF_ERROR(Call(*jobs_, &JobStub::CancelJob, request, job));
    return job;
  }
  absl::Status Delete(const std::string& name, const std::string& request_id) {
    v1::DeleteJobRequest request;
    request.set_name(name);
    request.set_request_id(request_id);
    google::protobuf::Empty empty;
    return Call(*jobs_, &JobStub::DeleteJob, request, empty);
  }
  absl::StatusOr<v1::ListJobsResponse> List(int size, const std::string& token, const std::string& filter) {
    v1::ListJobsRequest request;
    request.set_page_size(size);
    request.set_page_token(token);
    request.set_filter(filter);
    v1::ListJobsResponse response;
    RETURN_IF_ERROR(Call(*jobs_, &JobStub::ListJobs, request, response));
    return response;
  }
};

TEST_F(JobServiceTest, CreatedJobIsNormalisedOwnedAndFound) {
  ASSERT_OK_AND_ASSIGN(const v1::Job created, Create(Request("r-1")));
  EXPECT_THAT(created.name(), ::testing::MatchesRegex("jobs/dqn-[a-z0-9]{8}"));
  EXPECT_EQ(created.state(), v1::Job::PENDING);
  EXPECT_EQ(created.owner(), absl::StrCat("uid:", ::getuid()));
  EXPECT_EQ(created.spec().dqn().steps(), 1000);
  EXPECT_EQ(created.spec().dqn().batch_size(), 64);
  EXPECT_EQ(created.origins().at("dqn.steps"), "job.yaml:3");
  EXPECT_EQ(created.origins().at("env"), "request");
  EXPECT_THAT(created.spec_sha256(), SizeIs(64));
  ASSERT_OK_AND_ASSIGN(const v1::Job found, Get(created.name()));
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(found, created)) << found.DebugString();
}

TEST_F(JobServiceTest, CreateJobTwiceMakesOneJobWhateverHasChangedSince) {
  ASSERT_OK_AND_ASSIGN(const v1::Job first, Create(Request("r-1")));
  for (int i = 0; i < 10; ++i) Put(absl::StrCat("waiting-", i));  // the queue is full now
  ASSERT_OK_AND_ASSIGN(const v1::Job second, Create(Request("r-1")));
  EXPECT_EQ(first.name(), second.name());
  EXPECT_THAT(Create(Request("r-2")), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("limits.queued_jobs")));
  EXPECT_THAT(store_.List(), SizeIs(11));
}

TEST_F(JobServiceTest, SameRequestIdWithAnotherSpecificationIsRefused) {
  ASSERT_OK(Create(Request("r-1")));
  v1::CreateJobRequest other = Request("r-1");
  other.mutable_spec()->mutable_dqn()->set_steps(2000);
  const absl::Status status = Create(other).status();
  EXPECT_THAT(status, StatusCodeIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(ReasonOf(status), "REQUEST_ID_REUSED");
}

TEST_F(JobServiceTest, BadRequestIdsAreRefused) {
  EXPECT_THAT(Create(Request(std::string(65, 'a'))), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("request_id")));
  EXPECT_THAT(Create(Request("a b")), StatusCodeIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(JobServiceTest, AllErrorsComeTogetherAndNothingIsCreated) {
  v1::CreateJobRequest request;
  request.mutable_spec()->mutable_dqn()->set_gamma(1.5);
  request.mutable_spec()->mutable_dqn()->set_batch_size(-1);
  request.mutable_spec()->mutable_data()->add_sources()->set_path("data:nothing.csv");
  request.mutable_spec()->mutable_data()->add_sources()->set_path("other:x.csv");
  request.mutable_spec()->mutable_data()->add_sources()->set_path("/etc/hostname");
  request.mutable_spec()->mutable_data()->add_sources()->set_path(folder_.path().string() + "/data/y.csv");
  const absl::Status status = Create(request).status();
  EXPECT_THAT(status, StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(ReasonOf(status), "SPEC_INVALID");
  std::map<std::string, std::string> errors;
  for (const FieldError& error : FieldErrorsOf(status)) errors[error.path] = error.message;
  EXPECT_TRUE(errors.contains("dqn.gamma"));
  EXPECT_TRUE(errors.contains("dqn.batch_size"));
  EXPECT_THAT(errors["data.sources[0].path"], HasSubstr("cannot be opened"));
  EXPECT_THAT(errors["data.sources[1].path"], HasSubstr("`data_roots: {other: /the/folder}`"));
  EXPECT_THAT(errors["data.sources[2].path"], HasSubstr("`data_roots: {data: /etc}`"));
  EXPECT_THAT(errors["data.sources[3].path"], HasSubstr("write data:y.csv"));
  EXPECT_TRUE(store_.List().empty());
}

TEST_F(JobServiceTest, DataFileOutsideItsRootIsRefused) {
  folder_.Write("secret.csv", "x");
  std::filesystem::create_symlink(folder_ / "secret.csv", folder_ / "data" / "link.csv");
  v1::CreateJobRequest request;
  request.mutable_spec()->mutable_dqn();
  for (const char* path : {"data:../secret.csv", "data:link.csv"}) {
    request.mutable_spec()->mutable_data()->clear_sources();
    request.mutable_spec()->mutable_data()->add_sources()->set_path(path);
    EXPECT_THAT(Create(request), StatusCodeIs(absl::StatusCode::kInvalidArgument)) << path;
  }
  folder_.Write("data/good.csv", "x");
  request.mutable_spec()->mutable_data()->mutable_sources(0)->set_path("data:good.csv");
  EXPECT_OK(Create(request));
}

TEST_F(JobServiceTest, ValidateOnlyChecksAndCreatesNothing) {
  v1::CreateJobRequest request = Request();
  request.set_validate_only(true);
  ASSERT_OK_AND_ASSIGN(const v1::Job job, Create(request));
  EXPECT_EQ(job.name(), "");
  EXPECT_EQ(job.spec().dqn().batch_size(), 64);
  request.mutable_spec()->mutable_dqn()->set_gamma(2);
  EXPECT_THAT(Create(request), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_TRUE(store_.List().empty());
}

TEST_F(JobServiceTest, FullDiskAndHugeSpecificationsAreRefused) {
  api_.settings.disk_reserve = uint64_t{1} << 62;
  const absl::Status full = Create(Request()).status();
  EXPECT_THAT(full, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("limits.disk_reserve")));
  EXPECT_EQ(ReasonOf(full), "DISK_RESERVE");
  v1::CreateJobRequest request = Request();
  request.mutable_spec()->set_display_name(std::string(2 << 20, 'x'));
  EXPECT_THAT(Create(request), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("bytes")));
}

TEST_F(JobServiceTest, CancelJobTwiceLeavesTheJobAsItIs) {
  const std::string waiting = JobName(Put("waiting"));
  EXPECT_EQ(Cancel(waiting)->state(), v1::Job::CANCELLED);
  const int64_t revision = store_.Get(JobId("waiting")).value()->revision;
  EXPECT_EQ(Cancel(waiting)->state(), v1::Job::CANCELLED);
  EXPECT_EQ(store_.Get(JobId("waiting")).value()->revision, revision);

  const std::string running = JobName(Put("running", domain::JobState::kRunning, 1));
  EXPECT_EQ(Cancel(running)->state(), v1::Job::CANCELLING);
  EXPECT_EQ(Cancel(running)->state(), v1::Job::CANCELLING);
  const std::string done = JobName(Put("done", domain::JobState::kSucceeded, 1));
  EXPECT_EQ(Cancel(done)->state(), v1::Job::SUCCEEDED);
  EXPECT_THAT(Cancel("jobs/nobody"), StatusCodeIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Cancel("../etc"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("jobs/dqn-")));
}

TEST_F(JobServiceTest, DeleteJobTwiceByOneRequestIsOneAndIsForEndedJobs) {
  const std::string running = JobName(Put("running", domain::JobState::kRunning, 1));
  const absl::Status status = Delete(running, "d-0");
  EXPECT_THAT(status, StatusCodeIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(ReasonOf(status), "JOB_NOT_ENDED");
  const std::string done = JobName(Put("done", domain::JobState::kFailed, 1));
  EXPECT_OK(Delete(done, "d-1"));
  EXPECT_OK(Delete(done, "d-1"));
  EXPECT_THAT(Delete(done, "d-2"), StatusCodeIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Delete(done, ""), StatusCodeIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Get(done), StatusCodeIs(absl::StatusCode::kNotFound));
}

TEST_F(JobServiceTest, PagesMissNothingWhenAJobIsDeletedBetween) {
  for (int i = 0; i < 7; ++i) Put(absl::StrCat("j", i), domain::JobState::kFailed);
  std::vector<std::string> names;
  std::string token;
  do {
    ASSERT_OK_AND_ASSIGN(const v1::ListJobsResponse page, List(2, token, ""));
    for (const v1::Job& job : page.jobs()) names.push_back(job.name());
    if (token.empty()) {
      ASSERT_OK(Delete("jobs/j0", ""));
    }
    token = page.next_page_token();
  } while (!token.empty());
  EXPECT_THAT(names, ElementsAre("jobs/j0", "jobs/j1", "jobs/j2", "jobs/j3", "jobs/j4", "jobs/j5", "jobs/j6"));
}

TEST_F(JobServiceTest, PagesAreCheckedAndFiltered) {
  for (int i = 0; i < 3; ++i) Put(absl::StrCat("f", i), domain::JobState::kFailed);
  for (int i = 0; i < 3; ++i) Put(absl::StrCat("s", i), domain::JobState::kSucceeded);
  ASSERT_OK_AND_ASSIGN(const v1::ListJobsResponse page, List(2, "", "state=SUCCEEDED AND kind=dqn"));
  EXPECT_EQ(page.jobs(0).name(), "jobs/s0");
  EXPECT_EQ(page.jobs_size(), 2);
  ASSERT_OK_AND_ASSIGN(const v1::ListJobsResponse rest, List(2, page.next_page_token(), "state=SUCCEEDED AND kind=dqn"));
  EXPECT_EQ(rest.jobs_size(), 1);
  EXPECT_EQ(rest.next_page_token(), "");
  EXPECT_THAT(List(2, page.next_page_token(), "state=FAILED"), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(List(-1, "", ""), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(List(2, "nonsense", ""), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(List(2, "", "color=red"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("color=red")));
  EXPECT_THAT(List(2, "", "state=SLEEPING"), StatusCodeIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(List(2, "", "labels.team=fx")->jobs_size(), 0);
}

TEST_F(JobServiceTest, WaitingAndRunningJobsShowHowTheyAreNow) {
  const JobId waiting = Put("waiting");
  const JobId running = Put("running", domain::JobState::kRunning, 1);
  supervisor_.SetQueue({{waiting, 3, "WAITING_FOR_SLOTS", "needs 1 slot, 0 free"}});
  supervisor_.SetProgress(running, 42);
  ASSERT_OK_AND_ASSIGN(const v1::Job first, Get(JobName(waiting)));
  EXPECT_EQ(first.queue_position(), 3);
  EXPECT_EQ(first.state_message(), "needs 1 slot, 0 free");
  EXPECT_EQ(Get(JobName(running))->progress().step(), 42);
  v1::Queue queue;
  ASSERT_OK(Call(*cluster_, &ClusterStub::GetQueue, v1::GetQueueRequest(), queue));
  ASSERT_EQ(queue.entries_size(), 1);
  EXPECT_EQ(queue.entries(0).job(), "jobs/waiting");
  EXPECT_EQ(queue.free_slots(), 1);
}

TEST_F(JobServiceTest, CheckpointsAndArtifactsAreListed) {
  const JobId job = Put("a", domain::JobState::kRunning, 1);
  for (const int64_t step : {30, 10, 20}) {
    domain::Checkpoint checkpoint;
    checkpoint.job = job;
    checkpoint.step = step;
    checkpoint.attempt = AttemptId(1);
    ASSERT_OK(store_.CommitCheckpoint(checkpoint, Incarnation()));
  }
  v1::ListCheckpointsRequest request;
  request.set_parent(JobName(job));
  request.set_page_size(2);
  v1::ListCheckpointsResponse response;
  ASSERT_OK(Call(*jobs_, &JobStub::ListCheckpoints, request, response));
  ASSERT_EQ(response.checkpoints_size(), 2);
  EXPECT_EQ(response.checkpoints(1).name(), "jobs/a/checkpoints/20");
  request.set_page_token(response.next_page_token());
  response.Clear();
  ASSERT_OK(Call(*jobs_, &JobStub::ListCheckpoints, request, response));
  ASSERT_EQ(response.checkpoints_size(), 1);
  EXPECT_EQ(response.checkpoints(0).step(), 30);

  folder_.Write("state/jobs/a/artifacts/report.json", "{}");
  folder_.Write("state/jobs/a/artifacts/bad\xff", "{}");
  std::filesystem::create_directory(folder_ / "state/jobs/a/artifacts/folder");
  v1::ListArtifactsRequest artifacts;
  artifacts.set_parent(JobName(job));
  v1::ListArtifactsResponse listed;
  ASSERT_OK(Call(*jobs_, &JobStub::ListArtifacts, artifacts, listed));
  ASSERT_EQ(listed.artifacts_size(), 1);
  EXPECT_EQ(listed.artifacts(0).path(), "report.json");
  EXPECT_EQ(listed.artifacts(0).size_bytes(), 2);
}

TEST_F(JobServiceTest, EventsComeInPages) {
  const JobId job = Put("a");
  Put("b");
  store_.Set(job, domain::JobState::kStarting);
  v1::ListEventsRequest request;
  request.set_target("jobs/a");
  request.set_page_size(1);
  v1::ListEventsResponse response;
  ASSERT_OK(Call(*cluster_, &ClusterStub::ListEvents, request, response));
  ASSERT_EQ(response.events_size(), 1);
  EXPECT_EQ(response.events(0).action(), "CREATED");
  request.set_page_token(response.next_page_token());
  ASSERT_OK(Call(*cluster_, &ClusterStub::ListEvents, request, response));
  ASSERT_EQ(response.events_size(), 1);
  EXPECT_EQ(response.events(0).action(), "STATE_CHANGED");
  EXPECT_EQ(response.next_page_token(), "");
}

TEST_F(JobServiceTest, ClusterTellsRootsAddressAndSlots) {
  v1::Cluster cluster;
  ASSERT_OK(Call(*cluster_, &ClusterStub::GetCluster, v1::GetClusterRequest(), cluster));
  EXPECT_EQ(cluster.version(), "1.2.3");
  EXPECT_EQ(cluster.http_address(), "127.0.0.1:9464");
  EXPECT_EQ(cluster.data_roots().at("data"), (folder_ / "data").string());
  EXPECT_EQ(cluster.free_slots(), 1);
  v1::ListSlotsResponse slots;
  ASSERT_OK(Call(*cluster_, &ClusterStub::ListSlots, v1::ListSlotsRequest(), slots));
  EXPECT_EQ(slots.slots(0).name(), "cpu0");
}

TEST_F(JobServiceTest, EndlessDeadlinesAreRefused) {
  grpc::ClientContext context;
  SetDeadline(context, 400);
  v1::Cluster cluster;
  const grpc::Status status = cluster_->GetCluster(&context, {}, &cluster);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(JobServiceTest, DataChecksAnswerWhenTheirWorkerHas) {
  v1::ValidateDataRequest request;
  *request.mutable_spec() = Request().spec();
  v1::ValidateDataResponse response;
  std::thread worker([this] { supervisor_.TakeValidation()(std::string("{\"rows\": 3}")); });
  EXPECT_OK(Call(*jobs_, &JobStub::ValidateData, request, response));
  worker.join();
  EXPECT_EQ(response.report_json(), "{\"rows\": 3}");
  EXPECT_THAT(supervisor_.validated_paths(), ElementsAre("dqn.steps", "env"));
  request.mutable_spec()->mutable_dqn()->set_gamma(3);
  EXPECT_THAT(Call(*jobs_, &JobStub::ValidateData, request, response), StatusCodeIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(JobServiceTest, CancelledDataCheckEndsAndALateReportDoesNoHarm) {
  v1::ValidateDataRequest request;
  *request.mutable_spec() = Request().spec();
  grpc::ClientContext context;
  grpc::Status status;
  std::thread client([&] {
    v1::ValidateDataResponse response;
    status = jobs_->ValidateData(&context, request, &response);
  });
  const auto done = supervisor_.TakeValidation();
  context.TryCancel();
  client.join();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
  server_->Shutdown(absl::Seconds(5));
  done(std::string("{}"));
}

TEST_F(JobServiceTest, BugsGetAnIncidentNumber) {
  std::filesystem::remove_all(folder_ / "state");
  EXPECT_THAT(Create(Request()), StatusCodeIs(absl::StatusCode::kNotFound));  // a sentence of the system, not a bug
  const absl::Status status = Outgoing(api_, WithReason(absl::InternalError("a bug"), "X"));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal, ::testing::ContainsRegex("incident [0-9a-f]{16} .*a bug")));
}

// Every unary method of every public service, with an empty request: the same answer twice, none of them a bug of ours.
TEST_F(JobServiceTest, EveryMethodAnswersTwiceTheSame) {
  grpc::GenericStub stub(channel_);
  int methods = 0;
  for (const char* name : {"traind.v1.JobService", "traind.v1.ClusterService", "traind.v1.SweepService", "traind.v1.EndpointService"}) {
    const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
    ASSERT_NE(service, nullptr) << name;
    for (int i = 0; i < service->method_count(); ++i) {
      if (service->method(i)->server_streaming()) continue;
      ++methods;
      std::vector<grpc::Status> answers;
      for (int twice = 0; twice < 2; ++twice) {
        grpc::ClientContext context;
        SetDeadline(context, 10);
        const grpc::Slice empty;
        grpc::ByteBuffer request(&empty, 1), response;
        Mutex mutex;
        CondVar changed;
        std::optional<grpc::Status> status;
        stub.UnaryCall(&context, absl::StrCat("/", name, "/", service->method(i)->name()), {}, &request, &response,
                       [&](grpc::Status result) {
                         MutexLock lock(mutex);
                         status = result;
                         changed.NotifyAll();
                       });
        MutexLock lock(mutex);
        changed.Await(mutex, [&] { return status.has_value(); });
        answers.push_back(*status);
      }
      EXPECT_EQ(answers[0].error_code(), answers[1].error_code()) << service->method(i)->full_name();
      EXPECT_NE(answers[0].error_code(), grpc::StatusCode::UNKNOWN) << service->method(i)->full_name();
      EXPECT_NE(answers[0].error_code(), grpc::StatusCode::INTERNAL) << answers[0].error_message();
      if (answers[0].error_code() == grpc::StatusCode::UNIMPLEMENTED) {
        EXPECT_EQ(ReasonOf(rpc::FromGrpc(answers[0])), "UNIMPLEMENTED") << service->method(i)->full_name();
      }
    }
  }
  EXPECT_GT(methods, 20);
}

}  // namespace
}  // namespace traind::server::api
