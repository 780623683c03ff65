// Benchmarks of the control plane, against a real daemon.
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/base/status.h"
#include "tests/perf/bench.h"
#include "tests/perf/daemon.h"
#include "tests/perf/quantile.h"
#include "traind/v1/job.grpc.pb.h"

namespace traind::perf {
namespace {

constexpr int kClients = 4;
constexpr double kSubmitsPerSecond = 50;
constexpr absl::Duration kMeasured = absl::Seconds(20);

v1::CreateJobRequest SyntheticJob(const std::string& request_id) {
  v1::CreateJobRequest request;
  request.set_request_id(request_id);
  request.mutable_spec()->set_env("synthetic");
  request.mutable_spec()->mutable_dqn()->set_steps(1'000'000'000);
  return request;
}

// One client on its share of the rate; latencies in milliseconds. A submit that is late does not wait for its turn, so that a slow
// answer is not hidden by submitting less.
absl::StatusOr<std::vector<double>> SubmitAtRate(const std::shared_ptr<grpc::Channel>& channel, int client) {
  auto jobs = v1::JobService::NewStub(channel);
  const absl::Duration period = absl::Seconds(kClients / kSubmitsPerSecond);
  std::vector<double> latencies;
  absl::Time turn = absl::Now() + period * client / kClients;
  for (const absl::Time end = absl::Now() + kMeasured; turn < end; turn += period) {
    absl::SleepFor(turn - absl::Now());
    const absl::Time start = absl::Now();
    grpc::ClientContext context;
    v1::Job job;
    const grpc::Status status = jobs->CreateJob(&context, SyntheticJob(absl::StrCat("bench-", client, "-", latencies.size())), &job);
    if (!status.ok()) return absl::InternalError(absl::StrCat("CreateJob failed: ", status.error_message()));
    latencies.push_back(absl::ToDoubleMilliseconds(absl::Now() - start));
  }
  return latencies;
}

absl::StatusOr<double> ResidentMegabytes(int pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    double kilobytes = 0;
    if (words.size() > 1 && words[0] == "VmRSS:" && absl::SimpleAtod(words[1], &kilobytes)) return kilobytes / 1024;
  }
  return absl::NotFoundError(absl::StrCat("/proc/", pid, "/status has no VmRSS"));
}

}  // namespace

absl::StatusOr<std::vector<Metric>> ControlSubmit(const BenchContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Daemon> daemon, Daemon::Start(context.binaries));
  {
    grpc::ClientContext call;
    v1::Job job;
    const grpc::Status status = v1::JobService::NewStub(daemon->channel())->CreateJob(&call, SyntheticJob("bench-holder"), &job);
    if (!status.ok()) return absl::InternalError(absl::StrCat("CreateJob failed: ", status.error_message()));
    RETURN_IF_ERROR(daemon->AwaitRunning(job.name()));
  }
  std::vector<absl::StatusOr<std::vector<double>>> results(kClients, absl::UnknownError("did not run"));
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] { results[client] = SubmitAtRate(daemon->channel(), client); });
  }
  for (std::thread& thread : clients) thread.join();
  std::vector<double> latencies;
  for (const auto& result : results) {
    RETURN_IF_ERROR(result.status());
    latencies.insert(latencies.end(), result->begin(), result->end());
  }
  return std::vector<Metric>{{"p50_ms", "ms", {Quantile(latencies, .5)}}, {"p99_ms", "ms", {Quantile(latencies, .99)}}};
}

absl::StatusOr<std::vector<Metric>> ControlIdle(const BenchContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Daemon> daemon, Daemon::Start(context.binaries));
  absl::SleepFor(absl::Seconds(2));
  ASSIGN_OR_RETURN(const double megabytes, ResidentMegabytes(daemon->pid()));
  return std::vector<Metric>{{"rss_mb", "mb", {megabytes}}};
}

}  // namespace traind::perf
