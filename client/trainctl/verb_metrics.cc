#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/lib/errors.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/metric_text.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

constexpr size_t kTableRows = 20;

struct MetricsOptions {
  std::string job;
  bool follow = false;
  std::vector<std::string> names;
  bool csv = false;
};

// Gives every point to `take` as it comes.
absl::Status ForEachPoint(Session& session, const MetricsOptions& options, const std::function<void(const v1::MetricPoint&)>& take) {
  ASSIGN_OR_RETURN(const std::string name, JobName(options.job));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  v1::StreamMetricsRequest request;
  request.set_name(name);
  request.set_follow(options.follow);
  request.mutable_metrics()->Add(options.names.begin(), options.names.end());
  const std::unique_ptr<Stream<v1::StreamMetricsResponse>> stream = client->jobs().Metrics(request);
  for (;;) {
    ASSIGN_OR_RETURN(const std::optional<v1::StreamMetricsResponse> message, stream->Next());
    if (!message.has_value()) return absl::OkStatus();
    for (const v1::MetricPoint& point : message->points()) take(point);
    session.env.out << std::flush;
  }
}

absl::StatusOr<int> Follow(Session& session, const MetricsOptions& options) {
  // The columns must be known before the first line is written.
  if (options.csv && options.names.empty()) return UsageError("--csv with -f needs --name for each column");
  if (options.csv) session.env.out << MetricCsvHeader(options.names);
  const absl::Status status = ForEachPoint(session, options, [&](const v1::MetricPoint& point) {
    session.env.out << (session.json() ? JsonText(point) : options.csv ? MetricCsvRow(point, options.names) : MetricLine(point));
  });
  if (ReasonOf(status) == kInterrupted) {
    return WithReason(
        absl::CancelledError(absl::StrCat("interrupted; the job goes on, come back with `trainctl metrics ", options.job, " -f`")),
        kInterrupted);
  }
  RETURN_IF_ERROR(status);
  return kExitOk;
}

absl::StatusOr<int> RunMetrics(Session& session, const MetricsOptions& options) {
  if (options.follow) return Follow(session, options);
  std::vector<v1::MetricPoint> points;
  RETURN_IF_ERROR(ForEachPoint(session, options, [&points](const v1::MetricPoint& point) { points.push_back(point); }));
  if (session.json()) {
    session.env.out << JsonArrayOf(points);
    return kExitOk;
  }
  const std::vector<std::string> names = MetricNames(points);
  if (options.csv) {
    session.env.out << MetricCsvHeader(names);
    for (const v1::MetricPoint& point : points) session.env.out << MetricCsvRow(point, names);
    return kExitOk;
  }
  if (points.size() > kTableRows) {
    session.env.err << "(the last " << kTableRows << " of " << points.size() << " points; --csv gives all)\n";
    points.erase(points.begin(), points.end() - kTableRows);
  }
  session.env.out << MetricTable(points, names);
  return kExitOk;
}

}  // namespace

void AddMetrics(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("metrics", "Training metrics of a job, over its steps");
  const auto options = std::make_shared<MetricsOptions>();
  AddJobArgument(verb, options->job);
  verb.add_flag("-f,--follow", options->follow, "Go on with new points until the job ends");
  verb.add_option("--name", options->names, "Only this metric; may be repeated")->type_name("METRIC")->allow_extra_args(false);
  verb.add_flag("--csv", options->csv, "All points as CSV");
  AddOutputOption(verb, session, {"table", "json"});
  OnChosen(verb, session, options, RunMetrics);
}

}  // namespace traind::client::trainctl
