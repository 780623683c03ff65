#include "tests/perf/daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "traind/v1/cluster.grpc.pb.h"
#include "traind/v1/job.grpc.pb.h"

extern char** environ;

namespace traind::perf {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(20);
constexpr absl::Duration kPatience = absl::Seconds(30);

}  // namespace

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const std::string& binaries) {
  std::unique_ptr<Daemon> daemon(new Daemon());
  const std::string socket = (daemon->folder_ / "s").string();
  const std::string config = daemon->folder_.Write("traind.yaml", "slots: {cpu: 1}\nhttp: {port: 0}\nworkers: {stop_grace: 2s}\n");
  std::string program = absl::StrCat(binaries, "/traind");
  std::vector<std::string> arguments = {program, "--config", config, "--state", (daemon->folder_ / "state").string(), "--socket", socket};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  // Its log would bury the figures.
  const std::string log = (daemon->folder_ / "log").string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int error = posix_spawn(&daemon->pid_, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::NotFoundError(absl::StrCat(program, " could not be started; build it first"));
  }
  daemon->channel_ = grpc::CreateChannel(absl::StrCat("unix:", socket), grpc::InsecureChannelCredentials());
  auto cluster = v1::ClusterService::NewStub(daemon->channel_);
  for (const absl::Time deadline = absl::Now() + kPatience; absl::Now() < deadline; absl::SleepFor(kPoll)) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(1)));
    context.set_wait_for_ready(true);
    v1::Cluster answer;
    if (cluster->GetCluster(&context, {}, &answer).ok()) return daemon;
  }
  return absl::DeadlineExceededError("traind did not answer within 30 s");
}

void Daemon::CancelAll() {
  auto jobs = v1::JobService::NewStub(channel_);
  std::string page;
  do {
    grpc::ClientContext context;
    v1::ListJobsRequest request;
    request.set_page_token(page);
    v1::ListJobsResponse answer;
    if (!jobs->ListJobs(&context, request, &answer).ok()) return;
    // From the newest to the oldest, so that no waiting job starts because a running one ended.
    for (int i = answer.jobs_size() - 1; i >= 0; --i) {
      grpc::ClientContext cancel_context;
      v1::CancelJobRequest cancel;
      cancel.set_name(answer.jobs(i).name());
      v1::Job job;
      jobs->CancelJob(&cancel_context, cancel, &job);
    }
    page = answer.next_page_token();
  } while (!page.empty());
  for (const absl::Time deadline = absl::Now() + kPatience; absl::Now() < deadline; absl::SleepFor(kPoll)) {
    grpc::ClientContext context;
    v1::Cluster cluster;
    if (!v1::ClusterService::NewStub(channel_)->GetCluster(&context, {}, &cluster).ok()) return;
    if (cluster.free_slots() == cluster.slots()) return;
  }
}

Daemon::~Daemon() {
  if (pid_ == 0) return;
  if (channel_ != nullptr) CancelAll();
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

absl::Status Daemon::AwaitRunning(const std::string& job) {
  auto jobs = v1::JobService::NewStub(channel_);
  for (const absl::Time deadline = absl::Now() + kPatience; absl::Now() < deadline; absl::SleepFor(kPoll)) {
    grpc::ClientContext context;
    v1::GetJobRequest request;
    request.set_name(job);
    v1::Job answer;
    if (jobs->GetJob(&context, request, &answer).ok() && answer.state() == v1::Job::RUNNING) return absl::OkStatus();
  }
  return absl::DeadlineExceededError(absl::StrCat(job, " did not start within 30 s"));
}

}  // namespace traind::perf
