// What one run of trainctl works with.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/lib/client.h"
#include "client/lib/interrupt.h"
#include "common/base/clock.h"

namespace traind::client::trainctl {

// The process around it; everything is borrowed.
struct Environment {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::function<int()> columns;  // of the terminal
  std::function<std::optional<std::string>(const char* name)> variable;
  unsigned uid = 0;
  std::string working_folder;
  const Clock& clock;
  Interrupt& interrupt;
  std::function<void()> quit;  // ends the process at once: nothing else ends the reading of a pipe
  std::string version;
  // As in ClientOptions.
  std::function<bool(absl::Duration)> sleep;
};

// The common options, the connection, and the verb that was chosen. Used from one thread.
class Session {
 public:
  explicit Session(const Environment& environment) : env(environment) {}

  // Connects when first asked.
  absl::StatusOr<Client*> client();
  // Where traind is looked for: --address, TRAINCTL_ADDRESS, or the user's default.
  std::string Address() const;
  bool json() const { return output == "json"; }

  const Environment& env;
  std::string address;           // --address
  std::string output = "table";  // -o
  // Set by the verb that was given; its result is the exit code.
  std::function<absl::StatusOr<int>()> command;

 private:
  std::unique_ptr<Client> client_;
};

// Adds -o with these values to a verb; "table" is the default.
void AddOutputOption(CLI::App& verb, Session& session, const std::vector<std::string>& formats);

// Adds the positional JOB, required, which completion knows.
CLI::Option* AddJobArgument(CLI::App& verb, std::string& job);
inline constexpr char kJobArgument[] = "JOB";

// Of a verb that takes none.
struct NoOptions {};

// Makes `run` the session's command when the verb is the one given.
template <typename Options>
void OnChosen(CLI::App& verb, Session& session, std::shared_ptr<Options> options, absl::StatusOr<int> (*run)(Session&, const Options&)) {
  verb.callback([&session, options, run] { session.command = [&session, options, run] { return run(session, *options); }; });
}

}  // namespace traind::client::trainctl
