#include "worker/rl/memory_need.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "worker/rl/replay.h"

namespace traind::worker::rl {
namespace {

// Online, target, gradient; what the optimiser keeps comes on top.
constexpr uint64_t kCopiesOfParameters = 3;
// An activation, its gradient, and the same layer of the two passes over next states.
constexpr uint64_t kCopiesOfActivations = 4;

std::string MebibytesText(uint64_t bytes) { return absl::StrCat((bytes + (1 << 20) - 1) >> 20, " MiB"); }

// Parameters of a stack of layers, and units of it.
struct Stack {
  uint64_t parameters = 0;
  uint64_t units = 0;
};

Stack StackOf(int64_t inputs, const std::vector<int64_t>& widths) {
  Stack stack;
  auto from = static_cast<uint64_t>(inputs);
  for (const int64_t width : widths) {
    const auto to = static_cast<uint64_t>(width);
    stack.parameters += (from + 1) * to;
    stack.units += to;
    from = to;
  }
  return stack;
}

}  // namespace

MemoryNeed MemoryNeedOf(const DqnOptions& options, int64_t observation_size, int64_t num_actions) {
  const models::QNetworkShape& shape = options.network;
  const Stack trunk = StackOf(observation_size, shape.hidden);
  const int64_t features = shape.hidden.empty() ? observation_size : shape.hidden.back();
  uint64_t parameters = trunk.parameters, units = trunk.units;
  // The two streams of a head with `width` numbers per action, run on `rows` rows per transition.
  const auto add_head = [&](int64_t width, uint64_t rows) {
    std::vector<int64_t> advantage = shape.head_hidden, value = shape.head_hidden;
    advantage.push_back(num_actions * width);
    value.push_back(width);
    for (const Stack& stream : {StackOf(features, advantage), shape.dueling ? StackOf(features, value) : Stack{}}) {
      parameters += (shape.noisy ? 2 : 1) * stream.parameters;
      units += rows * stream.units;
    }
  };
  if (shape.has_c51()) add_head(shape.atoms, 1);
  if (shape.has_iqn()) {
    const auto rows = static_cast<uint64_t>(std::max({options.quantiles, options.target_quantiles, shape.midpoints}));
    add_head(1, rows);
    parameters += static_cast<uint64_t>((shape.cosines + 1) * features);
    // Embedding and its product with the features.
    units += rows * static_cast<uint64_t>(shape.cosines + 2 * features);
  }
  if (shape.value_head == models::ValueHead::kScalar) add_head(1, 1);
  MemoryNeed need;
  need.network = (kCopiesOfParameters + static_cast<uint64_t>(train::OptimizerStates(options.optimizer))) * sizeof(float) * parameters;
  need.replay = Replay::BytesFor(options.replay_capacity);
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
