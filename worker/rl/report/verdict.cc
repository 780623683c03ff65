#include "worker/rl/report/verdict.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace traind::worker::rl {

Verdict Judge(const Performance& policy, const std::vector<NamedPerformance>& baselines) {
  const NamedPerformance& best = *std::max_element(
      baselines.begin(), baselines.end(), [](const auto& a, const auto& b) { return a.performance.net_return < b.performance.net_return; });
  Verdict verdict;
  verdict.best_baseline = best.name;
  verdict.margin = policy.net_return - best.performance.net_return;
  verdict.beaten = verdict.margin > 0;
  verdict.sentence = absl::StrFormat(
      "Out of sample the policy returned %.1f %% net and %s the best baseline, %s, at %.1f %% (%.1f points %s); Sharpe %.2f against %.2f.",
      100 * policy.net_return, verdict.beaten ? "beat" : "did not beat", absl::StrReplaceAll(best.name, {{"_", "-"}}),
      100 * best.performance.net_return, 100 * std::abs(verdict.margin), verdict.beaten ? "more" : "less", policy.sharpe,
      best.performance.sharpe);
  return verdict;
}

}  // namespace traind::worker::rl
