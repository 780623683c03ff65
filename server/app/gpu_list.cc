#include "server/app/gpu_list.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace traind::server::app {
namespace {

// CUDA reads a mask up to the first entry that is none.
std::vector<std::string> EntriesOf(const std::string& mask) {
  std::vector<std::string> entries;
  for (const absl::string_view part : absl::StrSplit(mask, ',')) {
    const std::string entry(absl::StripAsciiWhitespace(part));
    int index = 0;
    const bool is_index = absl::SimpleAtoi(entry, &index) && index >= 0;
    if (!is_index && !absl::StartsWith(entry, "GPU-") && !absl::StartsWith(entry, "MIG-")) break;
    entries.push_back(entry);
  }
  return entries;
}

absl::StatusOr<std::string> Find(const std::string& id, const std::vector<std::string>& visible, const std::string& mask) {
  size_t index = 0;
  if (absl::SimpleAtoi(id, &index) && index < visible.size()) return visible[index];
  if (std::find(visible.begin(), visible.end(), id) != visible.end() && !absl::SimpleAtoi(id, &index)) return id;
  return absl::InvalidArgumentError(absl::StrCat("GPU ", id, " of slots.gpu_ids is not visible here: CUDA_VISIBLE_DEVICES is \"", mask,
                                                 "\", which shows ", visible.size(), " GPUs, counted from 0"));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> VisibleGpus(const std::vector<std::string>& ids, const std::optional<std::string>& mask) {
  if (!mask.has_value() && ids.empty()) return std::vector<std::string>();
  const std::vector<std::string> visible = mask.has_value() ? EntriesOf(*mask) : std::vector<std::string>();
  std::vector<std::string> gpus;
  for (const std::string& id : ids.empty() ? visible : ids) {
    // Entries of the mask are what they are; what was asked for is looked up in it.
    absl::StatusOr<std::string> gpu = mask.has_value() && !ids.empty() ? Find(id, visible, *mask) : id;
    if (!gpu.ok()) return gpu.status();
    if (std::find(gpus.begin(), gpus.end(), *gpu) != gpus.end())
      return absl::InvalidArgumentError(absl::StrCat("GPU ", id, " is named twice"));
    gpus.push_back(*std::move(gpu));
  }
  return gpus;
}

}  // namespace traind::server::app
