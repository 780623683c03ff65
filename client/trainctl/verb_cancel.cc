// cancel and delete.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

// What went wrong with some of the jobs, a line each; the exit code is that of the first.
class JobErrors {
 public:
  void Add(const std::string& name, const absl::Status& status) {
    if (status.ok()) return;
    const bool named = absl::StrContains(status.message(), name);
    lines_.push_back(named ? std::string(status.message()) : absl::StrCat(name, ": ", status.message()));
    if (first_.ok()) first_ = status;
  }
  absl::Status Status() const {
    if (first_.ok()) return first_;
    return WithReason(absl::Status(first_.code(), absl::StrJoin(lines_, "\n")), ReasonOf(first_).value_or(""));
  }

 private:
  absl::Status first_;
  std::vector<std::string> lines_;
};

absl::StatusOr<int> RunCancel(Session& session, const JobsOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(options));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  std::vector<v1::Job> cancelled;
  JobErrors errors;
  for (const std::string& name : names) {
    absl::StatusOr<v1::Job> job = client->jobs().Cancel(name, NewRequestId());
    errors.Add(name, job.status());
    if (!job.ok()) continue;
    if (session.output == "table") session.env.out << name << " " << StateText(job->state()) << "\n";
    if (session.output == "name") session.env.out << name << "\n";
    cancelled.push_back(*std::move(job));
  }
  if (session.json()) session.env.out << (options.jobs.size() == 1 && !cancelled.empty() ? JsonText(cancelled[0]) : JsonArrayOf(cancelled));
  RETURN_IF_ERROR(errors.Status());
  return kExitOk;
}

absl::StatusOr<int> RunDelete(Session& session, const JobsOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(options));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  JobErrors errors;
  for (const std::string& name : names) {
    const absl::Status deleted = client->jobs().Delete(name, NewRequestId());
    errors.Add(name, deleted);
    if (deleted.ok()) session.env.out << name << (session.output == "name" ? "" : " deleted") << "\n";
  }
  RETURN_IF_ERROR(errors.Status());
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
