// init, config explain and version: what can be known without a job.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"
#include "common/spec/explain.h"
#include "common/spec/templates.h"
#include "traind/config/v1/daemon_config.pb.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::client::trainctl {
namespace {

struct InitOptions {
  std::string task;
};
struct ExplainOptions {
  std::string field;
  bool daemon = false;
};

absl::StatusOr<int> RunInit(Session& session, const InitOptions& options) {
  const absl::StatusOr<std::string> text = spec::JobTemplate(options.task);
  if (!text.ok()) return UsageError(text.status().message());
  session.env.out << *text;
  return kExitOk;
}

absl::StatusOr<int> RunExplain(Session& session, const ExplainOptions& options) {
  const auto& root = options.daemon ? *config::v1::DaemonConfig::descriptor() : *v1::JobSpec::descriptor();
  ASSIGN_OR_RETURN(const std::string text, spec::Explain(options.field, root));
  session.env.out << text;
  return kExitOk;
}

absl::StatusOr<int> RunVersion(Session& session, const NoOptions&) {
  ASSIGN_OR_RETURN(Client* const client, session.client());
  const absl::StatusOr<v1::Cluster> cluster = client->cluster().Get();
  if (session.json() && cluster.ok()) {
    session.env.out << JsonText(*cluster);
    return kExitOk;
  }
  session.env.out << "trainctl " << session.env.version << "\n";
  RETURN_IF_ERROR(cluster.status());
  session.env.out << "traind   " << cluster->version() << " at " << client->address() << ", " << cluster->free_slots() << " of "
                  << cluster->slots() << " slots free, HTTP at " << cluster->http_address() << "\n";
  return kExitOk;
}

}  // namespace

void AddInit(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("init", "Print a commented job file to start from");
  const auto options = std::make_shared<InitOptions>();
  verb.add_option("TASK", options->task, "What to train: dqn")->required()->type_name("");
  OnChosen(verb, session, options, RunInit);
}

void AddConfig(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("config", "What the fields of job files and of traind.yaml mean")->require_subcommand(1);
  CLI::App& explain = *verb.add_subcommand("explain", "One field or block; without a field, the top level");
  const auto options = std::make_shared<ExplainOptions>();
  explain.add_option("FIELD", options->field, "Such as dqn.learning_rate")->type_name("");
  explain.add_flag("--daemon", options->daemon, "A field of traind.yaml instead of a job file's");
  OnChosen(explain, session, options, RunExplain);
}

void AddVersion(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("version", "Versions of trainctl and of the daemon it reaches");
  AddOutputOption(verb, session, {"table", "json"});
  OnChosen(verb, session, std::make_shared<NoOptions>(), RunVersion);
}

}  // namespace traind::client::trainctl
