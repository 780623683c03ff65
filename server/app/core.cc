#include "server/app/core.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/base/units.h"
#include "common/obs/metrics.h"
#include "common/os/random.h"
#include "common/spec/yaml_writer.h"
#include "server/launcher/local_launcher.h"
#include "server/store/sqlite_job_store.h"
#include "server/supervisor/reconciling_supervisor.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::server::app {
namespace {

// What of our own environment a worker may see, beside what it needs.
constexpr const char* kPassedOn[] = {"HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "USER"};

std::string RenderSpec(const std::string& bytes) {
  v1::JobSpec spec;
  spec.ParseFromString(bytes);
  return spec::ToYaml(spec);
}

std::vector<supervisor::MachineSlot> SlotsOf(const config::v1::SlotsConfig& config) {
  std::vector<supervisor::MachineSlot> slots;
  for (int i = 0; i < config.gpu_ids_size(); ++i) slots.push_back({absl::StrCat("gpu", i), "gpu", config.gpu_ids(i)});
  for (int i = 0; i < config.cpu(); ++i) slots.push_back({absl::StrCat("cpu", i), "cpu", ""});
  return slots;
}

absl::StatusOr<launcher::LocalLauncherOptions> LauncherOptionsOf(const CoreOptions& options) {
  launcher::LocalLauncherOptions result;
  result.programs = options.programs;
  result.coordinator = absl::StrCat("unix:", options.worker_socket);
  ASSIGN_OR_RETURN(const uint64_t max_log, ParseSizeText(options.config.logs().max_bytes_per_rank()));
  result.max_log_bytes = static_cast<int64_t>(max_log);
  ASSIGN_OR_RETURN(result.heartbeat, ParseDurationText(options.config.workers().heartbeat()));
  ASSIGN_OR_RETURN(result.orphan_after, ParseDurationText(options.config.workers().orphan_after()));
  for (const char* name : kPassedOn) {
    if (const auto value = options.env(name)) result.environment.push_back(absl::StrCat(name, "=", *value));
  }
  // One thread pool per worker, sized by the job; a second one of OpenMP's own would fight it.
  result.environment.push_back("OMP_NUM_THREADS=1");
  return result;
}

absl::StatusOr<supervisor::SupervisorOptions> SupervisorOptionsOf(const CoreOptions& options) {
  const config::v1::DaemonConfig& config = options.config;
  supervisor::SupervisorOptions result;
  result.slots = SlotsOf(config.slots());
  result.state_folder = config.state();
  result.data_roots = {config.data_roots().begin(), config.data_roots().end()};
  result.render_spec = RenderSpec;
  result.random = os::Random64;
  scheduler::Options& scheduling = result.scheduling;
  ASSIGN_OR_RETURN(scheduling.lease, ParseDurationText(config.workers().lease()));
  ASSIGN_OR_RETURN(scheduling.start_timeout, ParseDurationText(config.workers().start_timeout()));
  ASSIGN_OR_RETURN(scheduling.stop_grace, ParseDurationText(config.workers().stop_grace()));
  ASSIGN_OR_RETURN(scheduling.retention.max_age, ParseDurationText(config.retention().finished_age()));
  scheduling.retention.max_jobs = config.retention().finished_jobs();
  scheduling.late_tick = 3 * result.tick;
  return result;
}

// Folders of jobs that the database does not know are removed at the start; without a database that would be all of them.
absl::Status CheckWhole(const std::string& state) {
  std::error_code ignored;
  if (std::filesystem::exists(state + "/traind.db", ignored) || !std::filesystem::exists(state + "/jobs", ignored)) return absl::OkStatus();
  if (std::filesystem::is_empty(state + "/jobs", ignored)) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("the state folder ", state, " holds jobs/ but no traind.db; restore it, or move jobs/ away to begin anew"));
}

}  // namespace

// In the order of construction; each uses those before it.
struct Core::Parts {
  std::unique_ptr<store::SqliteJobStore> store;
  std::unique_ptr<launcher::LocalLauncher> launcher;
  std::unique_ptr<supervisor::ReconcilingSupervisor> supervisor;
};

Core::Core(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Core::~Core() {
  // The watcher of the launcher wakes the supervisor, so it goes first; the destructors' order alone would be the other way round.
  parts_->supervisor->Shutdown();
  parts_->launcher.reset();
}

absl::StatusOr<std::unique_ptr<Core>> Core::Open(const CoreOptions& options, const Clock& clock, obs::Logger& log, obs::Metrics& metrics) {
  ASSIGN_OR_RETURN(launcher::LocalLauncherOptions launcher_options, LauncherOptionsOf(options));
  ASSIGN_OR_RETURN(supervisor::SupervisorOptions supervisor_options, SupervisorOptionsOf(options));
  prometheus::Histogram& commits =
      metrics.AddHistogram("traind_journal_write_duration_seconds", "Time of a commit of the job store.", obs::LatencyBuckets());
  store::SqliteJobStoreOptions store_options;
  store_options.on_commit = [&commits](double seconds) { commits.Observe(seconds); };
  store_options.on_fatal = [&log](const absl::Status& status) {
    // Nothing can be committed any more, and what was is on disk: the service manager starts the daemon anew, which reads it back.
    log.Error("the job store has failed; traind ends", {{"why", std::string(status.message())}});
    ::_exit(1);
  };
  RETURN_IF_ERROR(CheckWhole(options.config.state()));
  auto parts = std::make_unique<Parts>();
  ASSIGN_OR_RETURN(parts->store, store::SqliteJobStore::Open(options.config.state(), std::move(store_options), clock));
  parts->launcher = std::make_unique<launcher::LocalLauncher>(std::move(launcher_options));
  parts->supervisor =
      std::make_unique<supervisor::ReconcilingSupervisor>(std::move(supervisor_options), *parts->store, *parts->launcher, clock, log);
  return std::unique_ptr<Core>(new Core(std::move(parts)));
}

absl::Status Core::Start() { return parts_->supervisor->Start(); }

store::JobStore& Core::store() { return *parts_->store; }
supervisor::Supervisor& Core::supervisor() { return *parts_->supervisor; }

}  // namespace traind::server::app
