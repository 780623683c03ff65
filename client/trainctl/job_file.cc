#include "client/trainctl/job_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/trainctl/data_paths.h"
#include "client/trainctl/exit_codes.h"
#include "common/base/status.h"
#include "common/spec/text.h"
#include "common/spec/validate.h"

namespace traind::client::trainctl {
namespace {

namespace fs = std::filesystem;

constexpr char kStdin[] = "-";

// A byte more than allowed, so that the reader of the text says that it is too long.
std::string ReadBounded(std::istream& stream) {
  std::string text(spec::kMaxTextBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

absl::StatusOr<NamedText> ReadFile(const Session& session, const std::string& name) {
  const fs::path path = fs::path(session.env.working_folder) / name;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return UsageError(absl::StrCat(name, " is a folder; name the file"));
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return UsageError(absl::StrCat(name, " cannot be opened: ", std::strerror(errno)));
  return NamedText{name, ReadBounded(stream)};
}

absl::StatusOr<JobSources> ReadSources(Session& session, const JobFileOptions& options) {
  JobSources sources{.sets = options.sets, .display_name = options.display_name};
  const Interrupt::Scope reading(session.env.interrupt, session.env.quit);
  if (options.file == kStdin) {
    sources.file = {"stdin", ReadBounded(session.env.in)};
  } else {
    ASSIGN_OR_RETURN(sources.file, ReadFile(session, options.file));
  }
  if (!options.hyperopt.empty()) {
    ASSIGN_OR_RETURN(sources.hyperopt, ReadFile(session, options.hyperopt));
  }
  return sources;
}

std::string JobFolder(const Session& session, const JobFileOptions& options) {
  const fs::path working = session.env.working_folder;
  return options.file == kStdin ? working.string() : (working / options.file).parent_path().string();
}

// The daemon is asked for its roots only where a path needs them. Does it not answer, that matters only when nothing else is wrong.
absl::Status ResolvePaths(Session& session, const JobFileOptions& options, JobDraft& draft) {
  if (!HasPlainPaths(draft.spec)) return absl::OkStatus();
  ASSIGN_OR_RETURN(Client* const client, session.client());
  const absl::StatusOr<v1::Cluster> cluster = client->cluster().Get();
  if (!cluster.ok()) return draft.errors.empty() ? cluster.status() : absl::OkStatus();
  const PathBase base{.job_folder = JobFolder(session, options),
                      .working_folder = session.env.working_folder,
                      .roots = {cluster->data_roots().begin(), cluster->data_roots().end()}};
  std::vector<FieldError> errors = ResolveDataPaths(base, draft.origins, draft.spec);
  spec::AddOrigins(draft.origins, errors);
  draft.errors.insert(draft.errors.end(), std::make_move_iterator(errors.begin()), std::make_move_iterator(errors.end()));
  return absl::OkStatus();
}

// A field that has an error already gets no second one.
void AddErrors(std::vector<FieldError> found, JobDraft& draft) {
  std::erase_if(found, [&draft](const FieldError& error) {
    return std::any_of(draft.errors.begin(), draft.errors.end(), [&error](const FieldError& known) { return known.path == error.path; });
  });
  spec::AddOrigins(draft.origins, found);
  draft.errors.insert(draft.errors.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

// What only the daemon can see (files below its roots, slots), so that all errors come together. Does it not answer, there are enough
// others already.
void AddErrorsOfDaemon(Session& session, JobDraft& draft) {
  if (!draft.readable || draft.spec.data().sources().empty()) return;
  const absl::StatusOr<Client*> client = session.client();
  if (!client.ok()) return;
  v1::CreateJobRequest request;
  *request.mutable_spec() = draft.spec;
  request.set_validate_only(true);
  AddErrors(FieldErrorsOf((*client)->jobs().Create(request).status()), draft);
}

}  // namespace

void AddJobFileOptions(CLI::App& verb, JobFileOptions& options) {
  verb.add_option("-f,--file", options.file, "Job file; - reads stdin")->required()->type_name("FILE");
  verb.add_option("--set", options.sets, "Sets one value over the file's, such as dqn.gamma=0.9")
      ->type_name("FIELD=VALUE")
      ->allow_extra_args(false);
  verb.add_option("--hyperopt", options.hyperopt, "JSON file of an optimiser; the job file wins over it")->type_name("FILE");
  verb.add_option("--name", options.display_name, "Name shown to people")->type_name("TEXT");
}

absl::StatusOr<PreparedJob> PrepareJob(Session& session, const JobFileOptions& options) {
  ASSIGN_OR_RETURN(const JobSources sources, ReadSources(session, options));
  PreparedJob prepared{.draft = ReadJob(sources)};
  JobDraft& draft = prepared.draft;
  RETURN_IF_ERROR(ResolvePaths(session, options, draft));
  // Ranges and combinations.
  if (draft.readable) AddErrors(spec::ValidateJob(draft.spec), draft);
  if (!draft.errors.empty()) {
    AddErrorsOfDaemon(session, draft);
    return AsSpecError(FieldErrorsStatus(draft.errors));
  }
  *prepared.request.mutable_spec() = draft.spec;
  prepared.request.mutable_origins()->insert(draft.origins.begin(), draft.origins.end());
  return prepared;
}

absl::Status WithOrigins(const absl::Status& status, const JobDraft& draft) {
  std::vector<FieldError> errors = FieldErrorsOf(status);
  if (errors.empty()) return AsSpecError(status);
  spec::AddOrigins(draft.origins, errors);
  return AsSpecError(FieldErrorsStatus(errors));
}

}  // namespace traind::client::trainctl
