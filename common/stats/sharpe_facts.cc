#include "common/stats/sharpe_facts.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace traind::stats {
namespace {

constexpr char kBars[] = "bars";
constexpr char kSharpe[] = "sharpe_per_bar";
constexpr char kSkewness[] = "skewness";
constexpr char kKurtosis[] = "kurtosis";

bool Read(const std::map<std::string, std::string>& facts, const char* name, double& value) {
  const auto found = facts.find(name);
  return found != facts.end() && absl::SimpleAtod(found->second, &value) && std::isfinite(value);
}

}  // namespace

std::map<std::string, std::string> ToFacts(const SharpeEstimate& estimate) {
  return {{kBars, absl::StrCat(estimate.bars)},
          {kSharpe, absl::StrFormat("%.17g", estimate.sharpe)},
          {kSkewness, absl::StrFormat("%.17g", estimate.skewness)},
          {kKurtosis, absl::StrFormat("%.17g", estimate.kurtosis)}};
}

std::optional<SharpeEstimate> EstimateFromFacts(const std::map<std::string, std::string>& facts) {
  SharpeEstimate estimate;
  const auto bars = facts.find(kBars);
  if (bars == facts.end() || !absl::SimpleAtoi(bars->second, &estimate.bars) || estimate.bars < 2) return std::nullopt;
  if (!Read(facts, kSharpe, estimate.sharpe) || !Read(facts, kSkewness, estimate.skewness) || !Read(facts, kKurtosis, estimate.kurtosis)) {
    return std::nullopt;
  }
  // With room for rounding: the bound is reached by series of two values.
  constexpr double kRounding = 1e-6;
  const double least = estimate.skewness * estimate.skewness + 1;
  if (estimate.kurtosis < least * (1 - kRounding)) return std::nullopt;
  return estimate;
}

}  // namespace traind::stats
