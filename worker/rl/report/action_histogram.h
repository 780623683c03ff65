// How often each target position was held: a policy that always does the same is seen at a glance.
#pragma once

#include <map>
#include <vector>

#include "worker/envs/ledger.h"

namespace traind::worker::rl {

// Target position → share of the bars of all `ledgers`; the shares sum to 1. Positions that were never held are absent; no bars, none.
std::map<double, double> ActionHistogram(const std::vector<const envs::Ledger*>& ledgers);

}  // namespace traind::worker::rl
