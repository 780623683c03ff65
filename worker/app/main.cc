// traind-worker: one rank of one attempt. Started by traind-shim; registers with the coordinator, which says what to do.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/failure.h"
#include "common/base/version.h"
#include "common/obs/http_server.h"
#include "common/obs/metrics.h"
#include "common/os/identity.h"
#include "common/os/termination.h"
#include "worker/agent/agent.h"
#include "worker/agent/recorded_metrics.h"
#include "worker/app/task_list.h"

namespace traind::worker {
namespace {

struct Options {
  agent::AgentOptions agent;
  std::string job_folder;
};

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "traind-worker: %s\n", std::string(status.message()).c_str());
  return ExitCodeOf(FailureCause::kCrashed);
}

void AddOptions(CLI::App& app, Options& options) {
  agent::SessionOptions& session = options.agent.session;
  app.add_option("--coordinator", session.address, "Address of the coordinator's worker listener, unix:/path")->required();
  app.add_option("--job", session.job, "jobs/<id>")->required();
  app.add_option("--attempt", session.attempt, "Number of the attempt")->required();
  app.add_option("--rank", session.rank, "Rank within the attempt")->required();
  app.add_option("--incarnation", session.incarnation, "Token of the attempt")->required();
  app.add_option("--job-folder", options.job_folder, "Folder of the job")->required();
  app.add_option_function<double>("--heartbeat-seconds", [&session](double seconds) { session.heartbeat = absl::Seconds(seconds); });
  app.add_option_function<double>("--orphan-after-seconds", [&session](double seconds) { session.orphan_after = absl::Seconds(seconds); });
  app.set_version_flag("--version", absl::StrCat("traind-worker ", kVersion));
}

int Run(Options options) {
  const absl::StatusOr<os::TerminationSignals> signals = os::TerminationSignals::Block();
  if (!signals.ok()) return Fail(signals.status());
  const absl::StatusOr<os::ProcessIdentity> self = os::ReadIdentity(::getpid());
  if (!self.ok()) return Fail(self.status());
  const SystemClock clock;
  obs::Metrics metrics;
  obs::HttpServer http;
  http.Get("/metrics", [&metrics] { return obs::HttpAnswer{.content_type = "text/plain; version=0.0.4", .body = metrics.Text()}; });
  if (const absl::Status status = http.Start("127.0.0.1", 0); !status.ok()) return Fail(status);

  agent::SessionOptions& session = options.agent.session;
  session.hello.set_pid(self->pid);
  session.hello.set_boot_id(self->boot_id);
  session.hello.set_start_time_ticks(self->start_time_ticks);
  session.hello.set_version(kVersion);
  session.hello.set_metrics_address(http.address());
  options.agent.tasks = TaskList();
  agent::RecordedMetrics recorded({.history_path = absl::StrCat(options.job_folder, "/metrics/", session.attempt),
                                   .job_id = session.job.substr(session.job.find('/') + 1),
                                   .rank = session.rank},
                                  metrics, clock);
  agent::Agent agent(options.agent, recorded, clock);
  // Lives until the process ends; a signal is only noted, so nothing it uses is gone before it.
  std::jthread signal_thread([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (signals->Await(absl::Milliseconds(200)) != 0) agent.RequestStop();
    }
  });
  return agent.Run();
}

}  // namespace
}  // namespace traind::worker

int main(int argc, char** argv) {
  traind::worker::Options options;
  CLI::App app("Runs one rank of a training job. Started by traind, not by hand.");
  traind::worker::AddOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  return traind::worker::Run(std::move(options));
}
