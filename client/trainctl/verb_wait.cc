#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/follow.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"
#include "common/base/units.h"

namespace traind::client::trainctl {
namespace {

struct WaitOptions {
  std::string job;
  std::string timeout;  // "" waits for ever
};

absl::StatusOr<int> RunWait(Session& session, const WaitOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, JobName(options.job));
  absl::Duration timeout = absl::InfiniteDuration();
  if (!options.timeout.empty()) {
    const absl::StatusOr<absl::Duration> parsed = ParseDurationText(options.timeout);
    if (!parsed.ok()) return UsageError(absl::StrCat("--timeout: ", parsed.status().message()));
    timeout = *parsed;
  }
  if (timeout <= absl::ZeroDuration()) {
    // Only asks.
    ASSIGN_OR_RETURN(Client* const client, session.client());
    ASSIGN_OR_RETURN(const v1::Job job, client->jobs().Get(name));
    if (HasEnded(job.state())) {
      session.env.out << (session.json() ? JsonText(job) : EndSentence(job) + "\n");
      return ExitCodeOf(job.state());
    }
  }
  ProgressDisplay display(session.env.err, session.env.err_is_terminal, session.env.columns, session.env.clock);
  ASSIGN_OR_RETURN(const v1::Job job, FollowToEnd(session, name, timeout, &display));
  session.env.out << (session.json() ? JsonText(job) : EndSentence(job) + "\n");
  return ExitCodeOf(job.state());
}

}  // namespace

void AddWait(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("wait", "Wait for a job's end, with progress; the exit code tells how it ended");
  const auto options = std::make_shared<WaitOptions>();
  AddJobArgument(verb, options->job);
  verb.add_option("--timeout", options->timeout, "Give up after this time, such as 90s or 1h30m; the job goes on")->type_name("TIME");
  AddOutputOption(verb, session, {"table", "json"});
  OnChosen(verb, session, options, RunWait);
}

}  // namespace traind::client::trainctl
