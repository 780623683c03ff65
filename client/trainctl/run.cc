#include "client/trainctl/run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/trainctl/completion.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

void AddVerbs(CLI::App& app, Session& session) {
  AddInit(app, session);
  AddSubmit(app, session);
  AddValidate(app, session);
  AddGet(app, session);
  AddDescribe(app, session);
  AddQueue(app, session);
  AddEvents(app, session);
  AddLogs(app, session);
  AddMetrics(app, session);
  AddWait(app, session);
  AddCancel(app, session);
  AddDelete(app, session);
  AddCheckpoints(app, session);
  AddArtifacts(app, session);
  AddConfig(app, session);
  AddCompletion(app, session);
  AddVersion(app, session);
}

// Field errors one a line, as they are; other messages on one line after the program's name.
void PrintError(const absl::Status& status, int code, Session& session) {
  if (session.json()) {
    session.env.err << JsonErrorText(status, code);
    return;
  }
  session.env.err << "trainctl: " << std::string(status.message()) << "\n";
}

}  // namespace

void AddCompletion(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("completion", "Print a completion script: source <(trainctl completion bash)");
  const auto shell = std::make_shared<std::string>();
  verb.add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}))->type_name("");
  verb.callback([&app, &session, shell] {
    session.command = [&app, &session, shell]() -> absl::StatusOr<int> {
      session.env.out << CompletionScript(app, *shell);
      return kExitOk;
    };
  });
}

int Run(const Environment& environment, std::vector<std::string> arguments) {
  Session session(environment);
  CLI::App app("Submits and follows training jobs of traind.", "trainctl");
  app.require_subcommand(1);
  app.set_version_flag("--version", absl::StrCat("trainctl ", environment.version));
  app.add_option("--address", session.address, "Socket of the daemon; also TRAINCTL_ADDRESS")->type_name("PATH");
  app.fallthrough();
  AddVerbs(app, session);
  // CLI11 takes them last first.
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" that succeed.
    return app.exit(error, environment.out, environment.err) == 0 ? kExitOk : kExitUsage;
  }
  const absl::StatusOr<int> result = session.command();
  environment.out.flush();
  const absl::Status status = result.ok() && !environment.out ? absl::InternalError("the output cannot be written") : result.status();
  if (status.ok()) return *result;
  const int code = ExitCodeOf(status);
  PrintError(status, code, session);
  return code;
}

}  // namespace traind::client::trainctl
