#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/lib/errors.h"
#include "client/lib/request_id.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/follow.h"
#include "client/trainctl/job_file.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/report_view.h"
#include "client/trainctl/text.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

constexpr size_t kLongestRequestId = 64;

struct SubmitOptions {
  JobFileOptions job;
  std::string request_id;
  bool wait = false;
  bool follow = false;
};

// When the answer did not arrive the job may exist: the same id finds it again.
absl::Status WithRepeat(const absl::Status& status, const std::string& request_id) {
  const bool unsure = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
  if (!unsure) return status;
  absl::Status told(status.code(),
                    absl::StrCat(status.message(), ". Submit again with --request-id ", request_id, ": that never makes a second job"));
  return WithReason(told, ReasonOf(status).value_or(""));
}

void PrintNextCommands(const v1::Job& job, std::ostream& err) {
  const std::string why = job.state_message().empty() ? "" : absl::StrCat(": ", Clean(job.state_message()));
  err << job.name() << " is " << StateText(job.state()) << why << "\n"
      << "  trainctl wait " << job.name() << "       progress until it ends\n"
      << "  trainctl logs " << job.name() << " -f    what the worker says\n"
      << "  trainctl describe " << job.name() << "   specification, attempts, results\n";
}

absl::StatusOr<int> AwaitEnd(Session& session, const std::string& name, bool follow) {
  ProgressDisplay display(session.env.err, session.env.err_is_terminal, session.env.columns, session.env.clock);
  ASSIGN_OR_RETURN(const v1::Job job, FollowToEnd(session, name, absl::InfiniteDuration(), follow ? &display : nullptr));
  if (session.json()) {
    session.env.out << JsonText(job);
  } else if (session.output != "name") {
    session.env.out << EndSentence(job) << "\n";
  }
  if (!follow || session.output != "table") return ExitCodeOf(job.state());
  ASSIGN_OR_RETURN(Client* const client, session.client());
  ASSIGN_OR_RETURN(const std::optional<std::string> report, FetchReport(*client, name));
  if (report.has_value()) {
    ASSIGN_OR_RETURN(const std::string page, RenderReport(*report, job));
    session.env.out << "\n" << page;
  }
  return ExitCodeOf(job.state());
}

absl::StatusOr<int> RunSubmit(Session& session, const SubmitOptions& options) {
  if (options.request_id.size() > kLongestRequestId) return UsageError("--request-id has more than 64 characters; use a UUID");
  ASSIGN_OR_RETURN(PreparedJob prepared, PrepareJob(session, options.job));
  if (!options.job.hyperopt.empty()) session.env.err << OriginTable(prepared.draft) << "\n";
  prepared.request.set_request_id(options.request_id.empty() ? NewRequestId() : options.request_id);
  ASSIGN_OR_RETURN(Client* const client, session.client());
  const absl::StatusOr<v1::Job> job = client->jobs().Create(prepared.request);
  if (!job.ok()) return WithRepeat(WithOrigins(job.status(), prepared.draft), prepared.request.request_id());
  const bool waits = options.wait || options.follow;
  if (session.json()) {
    if (!waits) session.env.out << JsonText(*job);
  } else {
    session.env.out << job->name() << std::endl;
  }
  if (session.output == "table" && !waits) PrintNextCommands(*job, session.env.err);
  if (!waits) return kExitOk;
  return AwaitEnd(session, job->name(), options.follow);
}

}  // namespace

void AddSubmit(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("submit", "Create a job from a job file");
  const auto options = std::make_shared<SubmitOptions>();
  AddJobFileOptions(verb, options->job);
  verb.add_option("--request-id", options->request_id, "Id of this request; submitting again with the same one never makes a second job")
      ->type_name("ID");
  verb.add_flag("--wait", options->wait, "Wait for the job's end; the exit code tells how it ended");
  verb.add_flag("--follow", options->follow, "As --wait, with progress on the way and the report at the end");
  AddOutputOption(verb, session, {"table", "json", "name"});
  OnChosen(verb, session, options, RunSubmit);
}

}  // namespace traind::client::trainctl
