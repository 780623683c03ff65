#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "client/lib/errors.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/follow.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

struct LogsOptions {
  std::string job;
  bool follow = false;
  int rank = 0;
  int64_t attempt = 0;
  int tail = 0;
};

// Keeps the progress line below the log up to date, on a connection of its own so that the log never waits for it.
class ProgressBeside {
 public:
  ProgressBeside(Session& session, const std::string& name, ProgressDisplay& display)
      : client_(Client::Connect({.address = session.Address(), .clock = &session.env.clock, .interrupt = &stop_})) {
    if (client_.ok()) thread_ = std::thread([this, name, &display] { Run(name, display); });
  }
  ~ProgressBeside() {
    stop_.Trigger();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Run(const std::string& name, ProgressDisplay& display) {
    const auto changes = (*client_)->jobs().Watch(name, absl::InfiniteDuration());
    for (;;) {
      const auto change = changes->Next();
      // Whatever is wrong, the log's own stream says it.
      if (!change.ok() || !change->has_value() || (*change)->deleted()) return;
      if (HasEnded((*change)->job().state())) return display.Clear();
      display.Show((*change)->job());
    }
  }

  Interrupt stop_;
  absl::StatusOr<std::unique_ptr<Client>> client_;
  std::thread thread_;
};

absl::Status CopyLog(Session& session, Stream<v1::StreamLogsResponse>& log, ProgressDisplay& display, v1::Job::State& final_state) {
  for (;;) {
    ASSIGN_OR_RETURN(const std::optional<v1::StreamLogsResponse> piece, log.Next());
    if (!piece.has_value()) return absl::OkStatus();
    if (piece->dropped_bytes() > 0) {
      display.Clear();
      session.env.err << "(" << piece->dropped_bytes() << " older bytes were dropped, the log keeps the newest)\n";
    }
    display.WriteAbove(session.env.out, piece->data());
    if (piece->end()) final_state = piece->final_state();
  }
}

absl::StatusOr<int> RunLogs(Session& session, const LogsOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, JobName(options.job));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  v1::StreamLogsRequest request;
  request.set_name(name);
  request.set_follow(options.follow);
  request.set_rank(options.rank);
  request.set_attempt(options.attempt);
  request.set_tail_lines(options.tail);
  const bool with_progress = options.follow && session.env.out_is_terminal && session.env.err_is_terminal;
  ProgressDisplay display(session.env.err, with_progress, session.env.columns, session.env.clock);
  std::unique_ptr<ProgressBeside> progress;
  if (with_progress) progress = std::make_unique<ProgressBeside>(session, name, display);
  const std::unique_ptr<Stream<v1::StreamLogsResponse>> log = client->jobs().Logs(request);
  v1::Job::State final_state = v1::Job::STATE_UNSPECIFIED;
  const absl::Status copied = CopyLog(session, *log, display, final_state);
  progress.reset();
  display.Clear();
  if (ReasonOf(copied) == kInterrupted && options.follow) {
    return WithReason(
        absl::CancelledError(absl::StrCat("interrupted; ", name, " goes on, come back to it with `trainctl logs ", name, " -f`")),
        kInterrupted);
  }
  RETURN_IF_ERROR(copied);
  if (options.follow) session.env.err << name << " " << StateText(final_state) << "\n";
  return kExitOk;
}

}  // namespace

void AddLogs(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("logs", "What a job's worker said");
  const auto options = std::make_shared<LogsOptions>();
  AddJobArgument(verb, options->job);
  verb.add_flag("-f,--follow", options->follow, "Go on with new output until the job ends");
  verb.add_option("--rank", options->rank, "Worker of a job with several")->type_name("N")->check(CLI::Range(0, 1'000'000));
  verb.add_option("--attempt", options->attempt, "Number of an attempt; the newest without it")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  verb.add_option("--tail", options->tail, "Only the last lines")->type_name("N")->check(CLI::Range(1, 1'000'000));
  OnChosen(verb, session, options, RunLogs);
}

}  // namespace traind::client::trainctl
