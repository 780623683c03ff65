#include "worker/rl/memory_need.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "worker/rl/index_replay.h"

namespace traind::worker::rl {
namespace {

// Online, target, gradient, first and second moment.
constexpr uint64_t kCopiesOfParameters = 5;
// An activation, its gradient, and the same layer of the two passes over next states.
constexpr uint64_t kCopiesOfActivations = 4;

std::string MebibytesText(uint64_t bytes) { return absl::StrCat((bytes + (1 << 20) - 1) >> 20, " MiB"); }

}  // namespace

MemoryNeed MemoryNeedOf(const DqnOptions& options, int64_t observation_size, int64_t num_actions) {
  uint64_t parameters = 0, units = 0;
  auto inputs = static_cast<uint64_t>(observation_size);
  for (const int64_t width : options.hidden) {
    const auto outputs = static_cast<uint64_t>(width);
    parameters += (inputs + 1) * outputs;
    units += outputs;
    inputs = outputs;
  }
  parameters += (inputs + 1) * static_cast<uint64_t>(num_actions);
  MemoryNeed need;
  need.network = kCopiesOfParameters * sizeof(float) * parameters;
  need.replay = IndexReplay::BytesFor(options.replay_capacity);
  need.batch = static_cast<uint64_t>(options.batch_size) * sizeof(float) *
               (2 * static_cast<uint64_t>(observation_size) + kCopiesOfActivations * units);
  return need;
}

absl::Status CheckMemory(const DqnOptions& options, int64_t observation_size, int64_t num_actions, uint64_t allowed) {
  const MemoryNeed need = MemoryNeedOf(options, observation_size, num_actions);
  if (need.total() <= allowed) return absl::OkStatus();
  const uint64_t largest = std::max({need.network, need.replay, need.batch});
  const char* const field = largest == need.network ? "dqn.hidden" : largest == need.replay ? "dqn.replay_capacity" : "dqn.batch_size";
  return WithCause(FieldErrorsStatus({{field, absl::StrCat("takes ", MebibytesText(largest), "; network ", MebibytesText(need.network),
                                                           ", replay ", MebibytesText(need.replay), " and batch ",
                                                           MebibytesText(need.batch), " are together more than limits.memory, ",
                                                           MebibytesText(allowed), "; lower it or raise the limit")}}),
                   FailureCause::kConfig);
}

}  // namespace traind::worker::rl
