// queue and events: what waits, and what happened.
#include <memory>
#include <string>

#include "client/trainctl/lists.h"
#include "client/trainctl/verbs.h"

namespace traind::client::trainctl {
namespace {

struct QueueOptions {};
struct EventsOptions {
  std::string job;
  int limit = 50;
};

absl::StatusOr<int> RunQueue(Session& session, const QueueOptions&) { return PrintQueue(session); }

absl::StatusOr<int> RunEvents(Session& session, const EventsOptions& options) { return PrintEvents(session, options.job, options.limit); }

}  // namespace

void AddQueue(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("queue", "Jobs that wait for slots, in order, and why");
  AddOutputOption(verb, session, {"table", "json", "name"});
  OnChosen(verb, session, std::make_shared<QueueOptions>(), RunQueue);
}

void AddEvents(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("events", "What happened: who did what to which job, and how it went");
  const auto options = std::make_shared<EventsOptions>();
  AddJobArgument(verb, options->job)->required(false);
  verb.add_option("--limit", options->limit, "Only the newest events; 0 shows all")
      ->type_name("N")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  AddOutputOption(verb, session, {"table", "json"});
  OnChosen(verb, session, options, RunEvents);
}

}  // namespace traind::client::trainctl
