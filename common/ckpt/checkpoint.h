// A checkpoint on disk: a folder of files and a manifest that names each with its size and SHA-256. A folder without a valid manifest is no
// checkpoint. Functions are stateless; one writer per checkpoints folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace traind::ckpt {

struct CheckpointSummary {
  int64_t step = 0;
  std::string folder;  // its name below the checkpoints folder: the step in 12 digits
  uint64_t size_bytes = 0;
  std::string manifest_sha256;
};

// Writes `files` (name → content) and `facts` as checkpoint `step` below `checkpoints_folder`. After OK it survives a power loss; after an
// error nothing of it is left but, after a crash, a temporary folder. A valid checkpoint of the same step and facts is kept and returned;
// any other at that step is replaced. RESOURCE_EXHAUSTED on a full disk.
absl::StatusOr<CheckpointSummary> WriteCheckpoint(const std::string& checkpoints_folder, int64_t step,
                                                  const std::map<std::string, std::string>& files,
                                                  const std::map<std::string, std::string>& facts);

struct LoadedCheckpoint {
  CheckpointSummary summary;
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> facts;
};

// Reads one and verifies every size and hash. DATA_LOSS naming the file that does not match, NOT_FOUND when there is no manifest.
absl::StatusOr<LoadedCheckpoint> ReadCheckpoint(const std::string& checkpoints_folder, const std::string& folder);

// The newest one that verifies, walking back over damaged ones. NOT_FOUND when there is none; `skipped`, if given, gets the reason why
// each newer one was passed over.
absl::StatusOr<LoadedCheckpoint> ReadNewestCheckpoint(const std::string& checkpoints_folder, std::vector<std::string>* skipped);

// Removes all but the newest `keep` checkpoints and the steps in `pinned`, and temporary folders that a crash left behind. The newest
// valid one always stays. Returns the steps removed.
absl::StatusOr<std::vector<int64_t>> RemoveOldCheckpoints(const std::string& checkpoints_folder, int keep,
                                                          const std::vector<int64_t>& pinned);

}  // namespace traind::ckpt
