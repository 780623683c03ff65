// Completion scripts, made from the command line itself, so that they never drift from it. Pure.
#pragma once

#include <string>

#include "CLI/CLI.hpp"

namespace traind::client::trainctl {

// For "bash", "zsh" or "fish"; "" for another shell. Names of jobs come from `trainctl get jobs -o name` when they are asked for.
std::string CompletionScript(const CLI::App& app, const std::string& shell);

}  // namespace traind::client::trainctl
