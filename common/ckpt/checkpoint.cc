// WriteCheckpoint, the protocol (docs/design/architecture.md):
//   1. make <step>.tmp-<pid>/                    crash: a temporary folder, removed by RemoveOldCheckpoints
//   2. write and fsync each file                 crash: as 1
//   3. write and fsync manifest.json             crash: as 1; the manifest is complete only when all it names is on disk
//   4. fsync the folder                          crash: as 1
//   5. rename it to <step>/                      crash: temporary or final name, the content is whole either way
//   6. fsync the parent                          crash before: the rename may be undone
// The caller then has the coordinator commit a row; a folder without a row is unknown to it. Nothing is ever written into <step>/. A failed
// fsync ends the attempt: both folders are removed and never reused. A valid <step>/ of the same facts is the same checkpoint, written by
// an earlier attempt that came by this step, and is kept; a damaged one or one of other facts goes between 4 and 5.
#include "common/ckpt/checkpoint.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/status.h"
#include "common/os/files.h"
#include "nlohmann/json.hpp"

namespace traind::ckpt {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kManifest[] = "manifest.json";
constexpr char kTemporary[] = ".tmp-";
constexpr int kFormatVersion = 1;
constexpr uint64_t kMaxManifest = 16 << 20;
constexpr uint64_t kMaxFile = uint64_t{64} << 30;

std::string FolderName(int64_t step) { return absl::StrFormat("%012d", step); }

std::optional<int64_t> StepOf(absl::string_view folder) {
  int64_t step = 0;
  if (folder.size() < 12 || !absl::SimpleAtoi(folder, &step) || FolderName(step) != folder) return std::nullopt;
  return step;
}

std::string ManifestText(int64_t step, const std::map<std::string, std::string>& files, const std::map<std::string, std::string>& facts) {
  Json manifest = {
      {"format", "traind-checkpoint"}, {"version", kFormatVersion}, {"step", step}, {"files", Json::object()}, {"facts", facts}};
  for (const auto& [name, content] : files) {
    manifest["files"][name] = {{"size", content.size()}, {"sha256", os::Sha256Hex(content)}};
  }
  return manifest.dump(2) + "\n";
}

absl::Status WriteInto(const std::string& folder, const std::map<std::string, std::string>& files, const std::string& manifest) {
  RETURN_IF_ERROR(os::MakeFolders(folder));
  for (const auto& [name, content] : files) RETURN_IF_ERROR(os::WriteAndSync(absl::StrCat(folder, "/", name), content));
  RETURN_IF_ERROR(os::WriteAndSync(absl::StrCat(folder, "/", kManifest), manifest));
  return os::SyncFolder(folder);
}

absl::Status Damaged(absl::string_view folder, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("checkpoint ", folder, " is damaged: ", what));
}

// The manifest's files and facts, each of the right type.
absl::StatusOr<Json> ParseManifest(const std::string& folder, const std::string& text) {
  const Json manifest = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!manifest.is_object() || manifest.value("format", Json()) != "traind-checkpoint")
    return Damaged(folder, "manifest.json is no manifest");
  if (manifest.value("version", Json()) != kFormatVersion) {
    return absl::FailedPreconditionError(absl::StrCat("checkpoint ", folder, " has a format version this build does not know"));
  }
  if (!manifest.value("step", Json()).is_number_integer() || FolderName(manifest["step"].get<int64_t>()) != folder) {
    return Damaged(folder, "its manifest is of another step");
  }
  if (!manifest.value("files", Json()).is_object() || !manifest.value("facts", Json()).is_object()) {
    return Damaged(folder, "its manifest lists no files or no facts");
  }
  for (const auto& [name, file] : manifest["files"].items()) {
    const bool good = file.is_object() && file.value("size", Json()).is_number_unsigned() && file.value("sha256", Json()).is_string();
    if (!good || name.empty() || absl::StrContains(name, "/") || name[0] == '.')
      return Damaged(folder, "its manifest has a bad file entry");
  }
  for (const auto& [name, fact] : manifest["facts"].items()) {
    if (!fact.is_string()) return Damaged(folder, absl::StrCat("the fact ", name, " is no text"));
  }
  return manifest;
}

absl::StatusOr<std::vector<std::string>> FolderNames(const std::string& checkpoints_folder) {
  absl::StatusOr<std::vector<std::string>> names = os::ListFolder(checkpoints_folder);
  if (absl::IsNotFound(names.status())) return std::vector<std::string>();
  return names;
}

// Steps of the folders that look like checkpoints, newest first.
absl::StatusOr<std::vector<int64_t>> Steps(const std::string& checkpoints_folder) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, FolderNames(checkpoints_folder));
  std::vector<int64_t> steps;
  for (const std::string& name : names) {
    if (const std::optional<int64_t> step = StepOf(name)) steps.push_back(*step);
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

}  // namespace

absl::StatusOr<CheckpointSummary> WriteCheckpoint(const std::string& checkpoints_folder, int64_t step,
                                                  const std::map<std::string, std::string>& files,
                                                  const std::map<std::string, std::string>& facts) {
  CheckpointSummary summary{step, FolderName(step), 0, ""};
  const std::string final_path = absl::StrCat(checkpoints_folder, "/", summary.folder);
  if (const auto earlier = ReadCheckpoint(checkpoints_folder, summary.folder); earlier.ok() && earlier->facts == facts) {
    return earlier->summary;
  }
  const std::string manifest = ManifestText(step, files, facts);
  const std::string temporary = absl::StrCat(final_path, kTemporary, ::getpid());
  RETURN_IF_ERROR(os::RemoveTree(temporary));
  absl::Status status = WriteInto(temporary, files, manifest);
  // rename cannot replace a folder that is not empty.
  if (status.ok()) status = os::RemoveTree(final_path);
  if (status.ok()) {
    status = os::RenameDurably(temporary, final_path);
    // Renamed, but perhaps not on disk.
    if (!status.ok()) os::RemoveTree(final_path).IgnoreError();  // the first error says more
  }
  if (!status.ok()) {
    os::RemoveTree(temporary).IgnoreError();  // as above
    return Annotate(status, absl::StrCat("writing checkpoint ", summary.folder));
  }
  summary.manifest_sha256 = os::Sha256Hex(manifest);
  summary.size_bytes = manifest.size();
  for (const auto& [name, content] : files) summary.size_bytes += content.size();
  return summary;
}

absl::StatusOr<LoadedCheckpoint> ReadCheckpoint(const std::string& checkpoints_folder, const std::string& folder) {
  const std::string path = absl::StrCat(checkpoints_folder, "/", folder);
  ASSIGN_OR_RETURN(const std::string text, os::ReadWholeFile(absl::StrCat(path, "/", kManifest), kMaxManifest));
  ASSIGN_OR_RETURN(const Json manifest, ParseManifest(folder, text));
  LoadedCheckpoint loaded;
  loaded.summary = {manifest["step"].get<int64_t>(), folder, text.size(), os::Sha256Hex(text)};
  for (const auto& [name, fact] : manifest["facts"].items()) loaded.facts[name] = fact.get<std::string>();
  for (const auto& [name, file] : manifest["files"].items()) {
    const absl::StatusOr<std::string> content = os::ReadWholeFile(absl::StrCat(path, "/", name), kMaxFile);
    if (!content.ok()) return Damaged(folder, content.status().message());
    if (content->size() != file["size"].get<uint64_t>())
      return Damaged(folder, absl::StrCat(name, " has another size than its manifest says"));
    if (os::Sha256Hex(*content) != file["sha256"].get<std::string>()) {
      return Damaged(folder, absl::StrCat(name, " has another SHA-256 than its manifest says"));
    }
    loaded.summary.size_bytes += content->size();
    loaded.files[name] = *content;
  }
  return loaded;
}

absl::StatusOr<LoadedCheckpoint> ReadNewestCheckpoint(const std::string& checkpoints_folder, std::vector<std::string>* skipped) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> steps, Steps(checkpoints_folder));
  for (const int64_t step : steps) {
    absl::StatusOr<LoadedCheckpoint> loaded = ReadCheckpoint(checkpoints_folder, FolderName(step));
    if (loaded.ok()) return loaded;
    if (skipped != nullptr) skipped->push_back(std::string(loaded.status().message()));
  }
  return absl::NotFoundError(absl::StrCat(checkpoints_folder, " holds no valid checkpoint"));
}

absl::StatusOr<std::vector<int64_t>> RemoveOldCheckpoints(const std::string& checkpoints_folder, int keep,
                                                          const std::vector<int64_t>& pinned) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, FolderNames(checkpoints_folder));
  for (const std::string& name : names) {
    // The writer's own temporary folder is not there now: it and this function run in one process, one after the other.
    if (absl::StrContains(name, kTemporary)) RETURN_IF_ERROR(os::RemoveTree(absl::StrCat(checkpoints_folder, "/", name)));
  }
  std::vector<int64_t> removed;
  ASSIGN_OR_RETURN(const std::vector<int64_t> steps, Steps(checkpoints_folder));
  int kept = 0;
  for (const int64_t step : steps) {
    // Damaged ones do not count: `keep` valid ones stay.
    if (kept < keep) {
      kept += ReadCheckpoint(checkpoints_folder, FolderName(step)).ok() ? 1 : 0;
      continue;
    }
    if (std::find(pinned.begin(), pinned.end(), step) != pinned.end()) continue;
    RETURN_IF_ERROR(os::RemoveTree(absl::StrCat(checkpoints_folder, "/", FolderName(step))));
    removed.push_back(step);
  }
  return removed;
}

}  // namespace traind::ckpt
