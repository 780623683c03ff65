// From the options of submit and validate to a request that the server can take.
#pragma once

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "client/trainctl/job_draft.h"
#include "client/trainctl/session.h"
#include "traind/v1/job.pb.h"

namespace traind::client::trainctl {

struct JobFileOptions {
  std::string file;  // "-" is stdin
  std::vector<std::string> sets;
  std::string hyperopt;  // a file
  std::string display_name;
};

void AddJobFileOptions(CLI::App& verb, JobFileOptions& options);

struct PreparedJob {
  v1::CreateJobRequest request;  // without a request id
  JobDraft draft;
};

// Reads and merges all sources, turns data paths into root:path and checks what can be checked here. INVALID_ARGUMENT with every error of
// every source; a usage error for a file that cannot be read; errors of the client where the daemon is needed and does not answer.
absl::StatusOr<PreparedJob> PrepareJob(Session& session, const JobFileOptions& options);

// What the server found wrong, with the lines that it does not know. Other errors stay as they are.
absl::Status WithOrigins(const absl::Status& status, const JobDraft& draft);

}  // namespace traind::client::trainctl
