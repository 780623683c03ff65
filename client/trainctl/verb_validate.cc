#include <memory>
#include <string>

#include "client/trainctl/exit_codes.h"
#include "client/trainctl/ingest_view.h"
#include "client/trainctl/job_file.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

struct ValidateOptions {
  JobFileOptions job;
  bool data = false;
};

absl::StatusOr<int> ValidateData(Session& session, const PreparedJob& prepared) {
  ASSIGN_OR_RETURN(Client* const client, session.client());
  const absl::StatusOr<std::string> report = client->jobs().ValidateData(prepared.request.spec());
  if (!report.ok()) return WithOrigins(report.status(), prepared.draft);
  if (session.json()) {
    session.env.out << (report->empty() ? "{}" : *report);
    return kExitOk;
  }
  if (report->empty()) {
    session.env.out << "The specification is valid; its environment reads no data.\n";
    return kExitOk;
  }
  ASSIGN_OR_RETURN(const std::string page, RenderIngest(*report));
  session.env.out << page;
  return kExitOk;
}

absl::StatusOr<int> RunValidate(Session& session, const ValidateOptions& options) {
  ASSIGN_OR_RETURN(PreparedJob prepared, PrepareJob(session, options.job));
  if (!options.job.hyperopt.empty()) session.env.err << OriginTable(prepared.draft) << "\n";
  prepared.request.set_validate_only(true);
  ASSIGN_OR_RETURN(Client* const client, session.client());
  const absl::StatusOr<v1::Job> job = client->jobs().Create(prepared.request);
  if (!job.ok()) return WithOrigins(job.status(), prepared.draft);
  if (options.data) return ValidateData(session, prepared);
  if (session.json()) {
    session.env.out << JsonText(*job);
  } else {
    session.env.out << "The specification is valid; its SHA-256 is " << job->spec_sha256() << ".\n";
    session.env.err << "The data were not read: --data does that.\n";
  }
  return kExitOk;
}

}  // namespace

void AddValidate(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("validate", "Check a job file as submit would, and create nothing");
  const auto options = std::make_shared<ValidateOptions>();
  AddJobFileOptions(verb, options->job);
  verb.add_flag("--data", options->data, "Also read and check the data, as a run would");
  AddOutputOption(verb, session, {"table", "json"});
  OnChosen(verb, session, options, RunValidate);
}

}  // namespace traind::client::trainctl
