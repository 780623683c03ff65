// ckpt and artifact: what a job has written.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/lists.h"
#include "client/trainctl/verbs.h"
#include "common/base/status.h"

namespace traind::client::trainctl {
namespace {

namespace fs = std::filesystem;

struct ListOptions {
  std::string job;
};
struct GetOptions {
  std::string job;
  std::string path;
  std::string target;  // "" is stdout
};

absl::StatusOr<int> ListCheckpoints(Session& session, const ListOptions& options) { return PrintCheckpoints(session, options.job); }
absl::StatusOr<int> ListArtifacts(Session& session, const ListOptions& options) { return PrintArtifacts(session, options.job); }

absl::StatusOr<int> GetArtifact(Session& session, const GetOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, JobName(options.job));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  if (options.target.empty()) {
    RETURN_IF_ERROR(client->jobs().Download(name, options.path, [&](absl::string_view piece) {
      session.env.out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
      return session.env.out ? absl::OkStatus() : absl::InternalError("the output cannot be written");
    }));
    return kExitOk;
  }
  // Beside the target first: a download that breaks off leaves what was there. A device or a pipe is written as it is, not replaced.
  std::error_code ignored;
  const bool replace = !fs::exists(options.target, ignored) || fs::is_regular_file(options.target, ignored);
  const std::string part = replace ? options.target + ".part" : options.target;
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  if (!file) return UsageError(absl::StrCat(part, " cannot be written; choose another -O"));
  absl::Status status = client->jobs().Download(name, options.path, [&](absl::string_view piece) {
    file.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    return file ? absl::OkStatus() : absl::ResourceExhaustedError(absl::StrCat(part, " cannot be written; is the disk full?"));
  });
  file.close();
  if (status.ok() && (!file || (replace && std::rename(part.c_str(), options.target.c_str()) != 0))) {
    status = absl::InternalError(absl::StrCat(options.target, " cannot be written"));
  }
  if (!status.ok()) {
    if (replace) std::remove(part.c_str());
    return status;
  }
  session.env.err << options.path << " is in " << options.target << "\n";
  return kExitOk;
}

}  // namespace

void AddCheckpoints(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("ckpt", "Checkpoints of a job")->require_subcommand(1);
  CLI::App& list = *verb.add_subcommand("list", "The checkpoints of a job, oldest first");
  const auto options = std::make_shared<ListOptions>();
  AddJobArgument(list, options->job);
  AddOutputOption(list, session, {"table", "json", "name"});
  OnChosen(list, session, options, ListCheckpoints);
}

void AddArtifacts(CLI::App& app, Session& session) {
  CLI::App& verb =
      *app.add_subcommand("artifact", "Files that a job has written: report.json, positions.csv, ingest.json")->require_subcommand(1);
  CLI::App& list = *verb.add_subcommand("list", "The files of a job");
  const auto list_options = std::make_shared<ListOptions>();
  AddJobArgument(list, list_options->job);
  AddOutputOption(list, session, {"table", "json", "name"});
  OnChosen(list, session, list_options, ListArtifacts);

  CLI::App& get = *verb.add_subcommand("get", "One file, to stdout or to -O; checked against its SHA-256");
  const auto get_options = std::make_shared<GetOptions>();
  AddJobArgument(get, get_options->job);
  get.add_option("PATH", get_options->path, "Name of the file")->required()->type_name("");
  get.add_option("-O,--to", get_options->target, "File to write")->type_name("FILE");
  OnChosen(get, session, get_options, GetArtifact);
}

}  // namespace traind::client::trainctl
