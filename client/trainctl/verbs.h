// The verbs. Each function adds one or a few to the command line; the verb that is given sets session.command.
#pragma once

#include "CLI/CLI.hpp"
#include "client/trainctl/session.h"

namespace traind::client::trainctl {

void AddInit(CLI::App& app, Session& session);
void AddSubmit(CLI::App& app, Session& session);
void AddValidate(CLI::App& app, Session& session);
void AddGet(CLI::App& app, Session& session);
void AddDescribe(CLI::App& app, Session& session);
void AddQueue(CLI::App& app, Session& session);
void AddEvents(CLI::App& app, Session& session);
void AddLogs(CLI::App& app, Session& session);
void AddMetrics(CLI::App& app, Session& session);
void AddWait(CLI::App& app, Session& session);
void AddCancel(CLI::App& app, Session& session);
void AddDelete(CLI::App& app, Session& session);
void AddCheckpoints(CLI::App& app, Session& session);
void AddArtifacts(CLI::App& app, Session& session);
void AddConfig(CLI::App& app, Session& session);
void AddCompletion(CLI::App& app, Session& session);
void AddVersion(CLI::App& app, Session& session);

}  // namespace traind::client::trainctl
