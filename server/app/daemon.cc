#include "server/app/daemon.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/base/units.h"
#include "common/base/version.h"
#include "common/os/files.h"

namespace traind::server::app {
namespace {

// Of the folder that holds the socket, if it has to be made: who may connect is said by the socket itself.
constexpr uint32_t kSocketFolderMode = 0755;

std::string FolderOf(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

// The configuration has been checked, so a text that is no size or duration is a bug of ours.
absl::StatusOr<FrontOptions> FrontOptionsOf(const CoreOptions& core) {
  const config::v1::DaemonConfig& config = core.config;
  FrontOptions options;
  options.socket = config.socket();
  options.worker_socket = core.worker_socket;
  options.uids = {config.access().uids().begin(), config.access().uids().end()};
  options.gids = {config.access().gids().begin(), config.access().gids().end()};
  options.reflection = config.access().reflection();
  options.http_host = config.http().address();
  options.http_port = config.http().port();
  options.http_file = config.state() + "/http";
  options.api.version = kVersion;
  options.api.state_folder = config.state();
  options.api.data_roots = {config.data_roots().begin(), config.data_roots().end()};
  options.api.queued_jobs = config.limits().queued_jobs();
  ASSIGN_OR_RETURN(options.api.disk_reserve, ParseSizeText(config.limits().disk_reserve()));
  options.api.streams = config.limits().streams();
  options.api.streams_per_user = config.limits().streams_per_user();
  return options;
}

absl::Status StateFolderError(const absl::Status& why) {
  return absl::FailedPreconditionError(
      absl::StrCat(why.message(), "; name a folder on a disk that this user can write with --state, or make this one so"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const CoreOptions& options, const Clock& clock, obs::Logger& log) {
  const std::string& state = options.config.state();
  if (const absl::Status made = os::MakeFolders(state); !made.ok()) return StateFolderError(made);
  absl::StatusOr<os::LockFile> lock = os::LockFile::Acquire(state + "/lock");
  if (absl::IsFailedPrecondition(lock.status())) {
    return absl::FailedPreconditionError(absl::StrCat("another traind uses the state folder ", state, " (", lock.status().message(),
                                                      "); stop it or choose another --state"));
  }
  if (!lock.ok()) return StateFolderError(lock.status());
  std::unique_ptr<Daemon> daemon(new Daemon(*std::move(lock)));
  daemon->metrics_.AddGauge("traind_build_info", "The version of this daemon; always 1.", {{"version", kVersion}}).Set(1);
  ASSIGN_OR_RETURN(FrontOptions front, FrontOptionsOf(options));
  RETURN_IF_ERROR(Annotate(os::MakeFolders(FolderOf(front.socket), kSocketFolderMode), "making the socket's folder"));
  ASSIGN_OR_RETURN(daemon->core_, Core::Open(options, clock, log, daemon->metrics_));
  ASSIGN_OR_RETURN(daemon->front_,
                   Front::Start(std::move(front), daemon->metrics_, daemon->core_->store(), daemon->core_->supervisor(), clock, log));
  // Only now, when nothing else can fail: a job that starts is not half a start.
  RETURN_IF_ERROR(daemon->core_->Start());
  daemon->front_->OpenToWorkers();
  return daemon;
}

Daemon::~Daemon() { Stop(absl::ZeroDuration()); }

void Daemon::Stop(absl::Duration grace) {
  if (core_ != nullptr) core_->supervisor().StopPlacing();
  if (front_ != nullptr) front_->Stop(grace);
}

}  // namespace traind::server::app
