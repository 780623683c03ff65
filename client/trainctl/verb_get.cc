#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/lists.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"
#include "common/spec/yaml_writer.h"

namespace traind::client::trainctl {
namespace {

struct SelectOptions {
  std::string state;
  std::vector<std::string> labels;  // "team=fx"
};
struct OneOptions {
  std::string job;
};

absl::StatusOr<std::string> Filter(const SelectOptions& options) {
  std::vector<std::string> parts;
  if (!options.state.empty()) {
    const std::string name = absl::AsciiStrToUpper(options.state);
    v1::Job::State state;
    if (!v1::Job::State_Parse(name, &state) || state == v1::Job::STATE_UNSPECIFIED) {
      return UsageError(absl::StrCat("--state ", options.state,
                                     " is no state; there are PENDING, STARTING, RUNNING, SUSPENDING, SUSPENDED, "
                                     "CANCELLING, SUCCEEDED, FAILED and CANCELLED"));
    }
    parts.push_back(absl::StrCat("state=", name));
  }
  for (const std::string& label : options.labels) {
    if (!absl::StrContains(label, "=")) return UsageError(absl::StrCat("-l ", label, ": write name=value"));
    parts.push_back(absl::StrCat("labels.", label));
  }
  return absl::StrJoin(parts, " AND ");
}

// Each job as a job file that would create it again.
std::string YamlText(const std::vector<v1::Job>& jobs) {
  return absl::StrJoin(jobs, "---\n", [](std::string* out, const v1::Job& job) {
    absl::StrAppend(out, "# ", job.name(), "\n", spec::ToYaml(job.spec()));
    if (!absl::EndsWith(*out, "\n")) absl::StrAppend(out, "\n");
  });
}

void PrintJobs(Session& session, const std::vector<v1::Job>& jobs) {
  const std::string table = session.output == "yaml" ? YamlText(jobs) : JobTable(jobs, session.env.clock.Now());
  PrintList(session, jobs, table, [](const v1::Job& job) { return job.name(); });
}

absl::StatusOr<int> GetJobs(Session& session, const SelectOptions& options) {
  ASSIGN_OR_RETURN(const std::string filter, Filter(options));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  ASSIGN_OR_RETURN(const std::vector<v1::Job> jobs, client->jobs().List(filter));
  PrintJobs(session, jobs);
  return kExitOk;
}

absl::StatusOr<int> GetJob(Session& session, const OneOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, JobName(options.job));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  ASSIGN_OR_RETURN(const v1::Job job, client->jobs().Get(name));
  if (session.json()) {
    session.env.out << JsonText(job);
  } else {
    PrintJobs(session, {job});
  }
  return kExitOk;
}

absl::StatusOr<int> GetSlots(Session& session, const NoOptions&) { return PrintSlots(session); }

}  // namespace

void AddGet(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("get", "List jobs or slots, or show one job")->require_subcommand(1);

  CLI::App& jobs = *verb.add_subcommand("jobs", "All jobs, oldest first");
  const auto jobs_options = std::make_shared<SelectOptions>();
  jobs.add_option("--state", jobs_options->state, "Only jobs in this state")->type_name("STATE");
  jobs.add_option("-l,--label", jobs_options->labels, "Only jobs with this label; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  AddOutputOption(jobs, session, {"table", "json", "name", "yaml"});
  OnChosen(jobs, session, jobs_options, GetJobs);

  CLI::App& job = *verb.add_subcommand("job", "One job; -o yaml gives a job file that would create it again");
  const auto job_options = std::make_shared<OneOptions>();
  AddJobArgument(job, job_options->job);
  AddOutputOption(job, session, {"table", "json", "name", "yaml"});
  OnChosen(job, session, job_options, GetJob);

  CLI::App& slots = *verb.add_subcommand("slots", "The slots of the machine, and who holds them");
  AddOutputOption(slots, session, {"table", "json", "name"});
  OnChosen(slots, session, std::make_shared<NoOptions>(), GetSlots);
}

}  // namespace traind::client::trainctl
