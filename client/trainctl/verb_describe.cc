// describe: one page about a job, for a person.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/follow.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/lists.h"
#include "client/trainctl/progress.h"
#include "client/trainctl/report_view.h"
#include "client/trainctl/spec_rows.h"
#include "client/trainctl/table.h"
#include "client/trainctl/text.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

constexpr size_t kEvents = 10;
constexpr int kWidth = 200;

struct DescribeOptions {
  std::string job;
};

// The head of the page: what the job is and where it stands.
std::string HeadText(const v1::Job& job) {
  std::string text =
      absl::StrCat(job.name(), job.spec().display_name().empty() ? "" : absl::StrCat(" (", Clean(job.spec().display_name()), ")"), "\n");
  absl::StrAppend(&text, "  ", HasEnded(job.state()) ? EndSentence(job) : PlainProgressLine(job), "\n");
  if (!job.state_message().empty() && !HasEnded(job.state())) absl::StrAppend(&text, "  ", Clean(job.state_message()), "\n");
  absl::StrAppend(&text, "  submitted ", TimeText(FromProto(job.create_time())), " by ", job.owner());
  if (job.has_start_time()) absl::StrAppend(&text, ", started ", TimeText(FromProto(job.start_time())));
  if (job.has_end_time()) absl::StrAppend(&text, ", ended ", TimeText(FromProto(job.end_time())));
  return absl::StrCat(text, "\n  specification ", job.spec_sha256(), "\n");
}

std::string SpecText(const v1::Job& job) {
  Table table({{"FIELD"}, {"VALUE"}, {"FROM"}});
  const spec::Origins origins(job.origins().begin(), job.origins().end());
  for (const SpecRow& row : SpecRows(job.spec(), origins)) table.AddRow({row.path, row.value, row.origin.empty() ? "default" : row.origin});
  return absl::StrCat("\nSpecification\n", table.Render(2));
}

std::string AttemptText(const v1::Job& job) {
  if (job.attempts().empty()) return "";
  Table table({{"ATTEMPT", Align::kRight}, {"STATE"}, {"SLOTS"}, {"STARTED"}, {"TOOK", Align::kRight}, {"HOW IT ENDED"}});
  for (const v1::Attempt& attempt : job.attempts()) {
    const std::string took = attempt.has_end_time() ? DurationText(FromProto(attempt.end_time()) - FromProto(attempt.start_time())) : "";
    const std::string how = attempt.failure_cause().empty() ? "" : absl::StrCat(attempt.failure_cause(), ": ", attempt.error());
    table.AddRow({absl::StrCat(attempt.number()), attempt.state(), absl::StrJoin(attempt.slots(), ", "),
                  TimeText(FromProto(attempt.start_time())), took, CutToWidth(Clean(how), kWidth)});
  }
  return absl::StrCat("\nAttempts\n", table.Render(2));
}

std::string ResultText(const v1::Job& job) {
  if (job.result().empty()) return "";
  Table table({{"RESULT"}, {"VALUE"}});
  // The map's own order is not the same in every run.
  const std::map<std::string, std::string> sorted(job.result().begin(), job.result().end());
  for (const auto& [name, value] : sorted) table.AddRow({name, CutToWidth(Clean(value), kWidth)});
  return absl::StrCat("\nResults\n", table.Render(2));
}

absl::StatusOr<int> RunDescribe(Session& session, const DescribeOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, JobName(options.job));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  ASSIGN_OR_RETURN(const v1::Job job, client->jobs().Get(name));
  ASSIGN_OR_RETURN(const std::optional<std::string> report, FetchReport(*client, name));
  if (session.json()) {
    ASSIGN_OR_RETURN(const std::string text, JsonTextWith(job, "report", report.value_or("null")));
    session.env.out << text;
    return kExitOk;
  }
  ASSIGN_OR_RETURN(std::vector<v1::Event> events, client->cluster().ListEvents(name));
  if (events.size() > kEvents) events.erase(events.begin(), events.end() - kEvents);
  session.env.out << HeadText(job) << SpecText(job) << AttemptText(job) << ResultText(job) << "\nEvents\n" << EventTable(events);
  if (report.has_value()) {
    ASSIGN_OR_RETURN(const std::string page, RenderReport(*report, job));
    session.env.out << "\nReport\n" << page;
  }
  return kExitOk;
}

}  // namespace

void AddDescribe(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("describe", "One page about a job: specification and origins, attempts, results, report");
  const auto options = std::make_shared<DescribeOptions>();
  AddJobArgument(verb, options->job);
  AddOutputOption(verb, session, {"table", "json"});
  OnChosen(verb, session, options, RunDescribe);
}

}  // namespace traind::client::trainctl
