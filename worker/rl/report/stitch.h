// Out-of-sample ledgers joined: one instrument over its folds, and several instruments to an equal-weight portfolio.
#pragma once

#include <vector>

#include "worker/envs/ledger.h"

namespace traind::worker::rl {

// Ledgers of one instrument in the order of their folds, as one: equity goes on from fold to fold.
envs::Ledger StitchFolds(const std::vector<const envs::Ledger*>& folds);

// Each bar's mean over the instruments that have it, that is, equal weights restored every bar. So is the position, of
// the sizes |position|: what is invested, since a long and a short do not cancel. Fill prices have no meaning and are 0.
envs::Ledger EqualWeight(const std::vector<const envs::Ledger*>& instruments);

}  // namespace traind::worker::rl
