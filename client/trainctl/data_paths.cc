#include "client/trainctl/data_paths.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "common/spec/data_path.h"

namespace traind::client::trainctl {
namespace {

namespace fs = std::filesystem;

// "market:x.csv", also one that the daemon will refuse ("market:../x"), so that its reason is the one shown.
bool IsRootPath(const std::string& text) {
  const size_t colon = text.find(':');
  return colon != std::string::npos && spec::IsRootName(text.substr(0, colon));
}

// With symbolic links followed as far as the path exists; as it is where even that fails.
fs::path RealPath(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : real;
}

// `path` below `folder`, both real; nothing if it is not.
std::optional<std::string> Below(const fs::path& path, const fs::path& folder) {
  const std::string prefix = absl::StrCat(absl::StripSuffix(folder.string(), "/"), "/");
  if (!absl::StartsWith(path.string(), prefix) || path.string().size() == prefix.size()) return std::nullopt;
  return path.string().substr(prefix.size());
}

std::optional<std::string> InLongestRoot(const fs::path& path, const std::map<std::string, std::string>& roots) {
  std::optional<std::string> best;
  size_t longest = 0;
  for (const auto& [name, folder] : roots) {
    const fs::path real = RealPath(folder);
    const std::optional<std::string> below = Below(path, real);
    if (!below.has_value() || real.string().size() < longest) continue;
    longest = real.string().size();
    best = absl::StrCat(name, ":", *below);
  }
  return best;
}

// A YAML value that needs no thought: in quotes unless it is plain.
std::string YamlText(const std::string& text) {
  const auto plain = [](char c) { return absl::ascii_isalnum(c) || c == '/' || c == '.' || c == '_' || c == '-'; };
  if (std::all_of(text.begin(), text.end(), plain)) return text;
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "''"}}), "'");
}

std::string RootNameFor(const std::string& folder) {
  std::string name;
  for (const char c : fs::path(folder).filename().string()) {
    const char lower = absl::ascii_tolower(c);
    name += absl::ascii_isalnum(lower) || lower == '.' || lower == '_' || lower == '-' ? lower : '-';
  }
  name = name.substr(0, 60);
  return spec::IsRootName(name) ? name : "data";
}

// Turns one path in place, or says why not.
std::optional<std::string> Resolve(const PathBase& base, bool from_command_line, std::string& text) {
  const std::string& folder = from_command_line ? base.working_folder : base.job_folder;
  const fs::path path = RealPath(fs::path(folder) / text);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return absl::StrCat("there is no file ", path.string(),
                        absl::StartsWith(text, "/") ? "" : absl::StrCat(" (", text, " starts from ", folder, ")"));
  }
  const std::optional<std::string> found = InLongestRoot(path, base.roots);
  if (!found.has_value()) {
    return absl::StrCat(path.string(), " lies under no data root of the daemon; put this line into its configuration and restart it:  ",
                        DataRootsLine(base.roots, path.parent_path().string()));
  }
  text = *found;
  return std::nullopt;
}

}  // namespace

bool HasPlainPaths(const v1::JobSpec& spec) {
  const auto& sources = spec.data().sources();
  return std::any_of(sources.begin(), sources.end(),
                     [](const v1::DataSource& source) { return !source.path().empty() && !IsRootPath(source.path()); });
}

std::vector<FieldError> ResolveDataPaths(const PathBase& base, const spec::Origins& origins, v1::JobSpec& spec) {
  std::vector<FieldError> errors;
  for (int i = 0; i < spec.data().sources_size(); ++i) {
    // An empty path is the validator's to refuse.
    if (spec.data().sources(i).path().empty() || IsRootPath(spec.data().sources(i).path())) continue;
    std::string& text = *spec.mutable_data()->mutable_sources(i)->mutable_path();
    const std::string field = absl::StrCat("data.sources[", i, "].path");
    const bool from_command_line = spec::OriginOf(origins, field) == "--set";
    if (const std::optional<std::string> problem = Resolve(base, from_command_line, text)) errors.push_back({field, *problem});
  }
  return errors;
}

std::string DataRootsLine(const std::map<std::string, std::string>& roots, const std::string& folder) {
  std::map<std::string, std::string> all = roots;
  const std::string wanted = RootNameFor(folder);
  std::string name = wanted;
  for (int i = 2; all.contains(name); ++i) name = absl::StrCat(wanted, i);
  all[name] = folder;
  return absl::StrCat(
      "data_roots: {",
      absl::StrJoin(all, ", ", [](std::string* out, const auto& root) { absl::StrAppend(out, root.first, ": ", YamlText(root.second)); }),
      "}");
}

}  // namespace traind::client::trainctl
