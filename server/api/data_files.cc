#include "server/api/data_files.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "common/os/files.h"
#include "common/spec/data_path.h"

namespace traind::server::api {
namespace {

using Roots = std::map<std::string, std::string>;

std::string KnownRoots(const Roots& roots) {
  if (roots.empty()) return "it names no roots";
  return absl::StrCat("its roots are ", absl::StrJoin(roots, ", ", [](std::string* out, const auto& root) { *out += root.first; }));
}

// What to do about a path that starts at /: name it by its root, or make its folder one.
std::string AbsolutePathProblem(const Roots& roots, const std::string& text) {
  for (const auto& [name, folder] : roots) {
    absl::string_view rest = text;
    if (absl::ConsumePrefix(&rest, folder) && absl::ConsumePrefix(&rest, "/")) {
      return absl::StrCat(text, " is under the data root ", name, "; write ", name, ":", rest);
    }
  }
  const std::pair<std::string, std::string> parts = {text.substr(0, text.rfind('/')), text.substr(text.rfind('/') + 1)};
  const std::string folder = parts.first.empty() ? "/" : parts.first;
  return absl::StrCat(text, " is not under a data root; add to the daemon's configuration `data_roots: {data: ", folder,
                      "}`, start it again, and write data:", parts.second);
}

// What keeps one file from being read; nothing if it can be opened.
std::optional<std::string> Problem(const Roots& roots, const std::string& text) {
  const absl::StatusOr<spec::DataPath> path = spec::ParseDataPath(text);
  if (!path.ok()) return text.starts_with("/") ? AbsolutePathProblem(roots, text) : std::string(path.status().message());
  const auto root = roots.find(path->root);
  if (root == roots.end()) {
    return absl::StrCat(text, " is not under a data root: the daemon's configuration has no root ", path->root, " (", KnownRoots(roots),
                        "); add to it `data_roots: {", path->root, ": /the/folder}` and start the daemon again");
  }
  const absl::StatusOr<os::UniqueFd> file = os::OpenBeneath(root->second, path->path);
  if (file.ok()) return std::nullopt;
  return absl::StrCat(text, " cannot be opened: ", file.status().message(), "; the root ", path->root, " is ", root->second,
                      ", and the daemon's user must be able to read the file");
}

}  // namespace

std::vector<FieldError> DataFileErrors(const Roots& data_roots, const v1::JobSpec& spec) {
  std::vector<FieldError> errors;
  for (int i = 0; i < spec.data().sources_size(); ++i) {
    const v1::DataSource& source = spec.data().sources(i);
    if (!source.has_path()) continue;
    const std::optional<std::string> problem = Problem(data_roots, source.path());
    if (problem.has_value()) errors.push_back({absl::StrCat("data.sources[", i, "].path"), *problem});
  }
  return errors;
}

}  // namespace traind::server::api
