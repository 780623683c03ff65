// Drawn windows to tensors: observations gathered, masks looked up.
#pragma once

#include <vector>

#include "worker/envs/environment.h"
#include "worker/rl/dqn_batch.h"
#include "worker/rl/replay.h"

namespace traind::worker::rl {

// A batch with the windows it was made of.
struct GatheredBatch {
  std::vector<Transition> windows;
  DqnBatch tensors;
};

// Fills `batch.tensors` from `batch.windows` and their importance weights at `beta`. INVALID_ARGUMENT, cause DATA, naming the state where
// an observation is not finite. Thread-safe for different batches.
absl::Status Gather(const envs::ObservationSource& source, double beta, GatheredBatch& batch);

}  // namespace traind::worker::rl
