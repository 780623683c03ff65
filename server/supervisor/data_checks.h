// Workers outside the slots that only read and check data. Nothing of them is stored; a restart of the daemon forgets them, and their
// workers are fenced.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "server/launcher/launcher.h"
#include "server/supervisor/attempt_table.h"
#include "server/supervisor/supervisor.h"

namespace traind::server::supervisor {

struct DataCheckOptions {
  std::string state_folder;
  std::map<std::string, std::string> data_roots;
  std::function<uint64_t()> random;
  int at_once = 2;
  absl::Duration timeout = absl::Minutes(4);
};

// Thread-safe. Calls launcher and callbacks without a lock held.
class DataChecks {
 public:
  // Both are borrowed and outlive it.
  DataChecks(DataCheckOptions options, launcher::Launcher& launcher, const Clock& clock)
      : options_(std::move(options)), launcher_(launcher), clock_(clock) {}

  void Begin(std::string spec_bytes, std::string spec_sha256, std::vector<std::string> user_set_paths, Supervisor::ValidateDone done);
  // Ends those whose worker has ended or whose time is over.
  void Poll();

  // Whether `job` names a data check, whose messages then go to the following.
  bool Owns(const JobId& job) const;
  absl::StatusOr<WorkerAssignment> Register(const WorkerKey& key, std::shared_ptr<WorkerLink> link);
  absl::Status Check(const WorkerKey& key);
  absl::Status Terminal(const WorkerKey& key, FailureCause cause, const std::string& error);
  absl::Status DataReport(const WorkerKey& key, const std::string& report_json);

 private:
  struct Running {
    std::string spec_bytes;
    std::string spec_sha256;
    std::vector<std::string> user_set_paths;
    Supervisor::ValidateDone done;
    absl::Duration started;
    std::optional<domain::ProcessId> shim;
    std::optional<std::string> report;  // empty for an environment without data
  };
  // What the check came to; nothing while it runs.
  std::optional<absl::StatusOr<std::string>> ResultOf(const JobId& id, const Running& check, const LiveAttempt& attempt) const;

  const DataCheckOptions options_;
  launcher::Launcher& launcher_;
  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<JobId, Running> running_ ABSL_GUARDED_BY(mutex_);
  std::map<JobId, LiveAttempt> attempts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace traind::server::supervisor
