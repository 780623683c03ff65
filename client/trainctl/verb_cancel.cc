// cancel and delete.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/lib/request_id.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

struct JobsOptions {
  std::vector<std::string> jobs;
};

void AddJobArguments(CLI::App& verb, JobsOptions& options) {
  verb.add_option(kJobArgument, options.jobs, "Names of jobs, with or without jobs/")->required()->type_name("");
}

// All names are looked at before anything is done.
absl::StatusOr<std::vector<std::string>> Names(const JobsOptions& options) {
  std::vector<std::string> names;
  for (const std::string& job : options.jobs) {
    ASSIGN_OR_RETURN(std::string name, JobName(job));
    names.push_back(std::move(name));
  }
  return names;
}

absl::StatusOr<int> RunCancel(Session& session, const JobsOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(options));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  std::vector<v1::Job> cancelled;
  absl::Status first_error;
  for (const std::string& name : names) {
    absl::StatusOr<v1::Job> job = client->jobs().Cancel(name, NewRequestId());
    first_error.Update(job.status());
    if (!job.ok()) continue;
    if (session.output == "table") session.env.out << name << " " << StateText(job->state()) << "\n";
    if (session.output == "name") session.env.out << name << "\n";
    cancelled.push_back(*std::move(job));
  }
  if (session.json()) session.env.out << (options.jobs.size() == 1 && !cancelled.empty() ? JsonText(cancelled[0]) : JsonArrayOf(cancelled));
  RETURN_IF_ERROR(first_error);
  return kExitOk;
}

absl::StatusOr<int> RunDelete(Session& session, const JobsOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(options));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  absl::Status first_error;
  for (const std::string& name : names) {
    const absl::Status deleted = client->jobs().Delete(name, NewRequestId());
    first_error.Update(deleted);
    if (deleted.ok()) session.env.out << name << (session.output == "name" ? "" : " deleted") << "\n";
  }
  RETURN_IF_ERROR(first_error);
  return kExitOk;
}

}  // namespace

void AddCancel(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("cancel", "End jobs; one that has ended stays as it is");
  const auto options = std::make_shared<JobsOptions>();
  AddJobArguments(verb, *options);
  AddOutputOption(verb, session, {"table", "json", "name"});
  OnChosen(verb, session, options, RunCancel);
}

void AddDelete(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("delete", "Remove ended jobs and all that they wrote");
  const auto options = std::make_shared<JobsOptions>();
  AddJobArguments(verb, *options);
  AddOutputOption(verb, session, {"table", "name"});
  OnChosen(verb, session, options, RunDelete);
}

}  // namespace traind::client::trainctl
