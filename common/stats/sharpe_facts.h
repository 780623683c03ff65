// A Sharpe estimate as facts among a job's results, where the worker leaves it for the coordinator. Pure, thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/stats/sharpe_inference.h"

namespace traind::stats {

// "bars", "sharpe_per_bar", "skewness", "kurtosis"; no digit is lost.
std::map<std::string, std::string> ToFacts(const SharpeEstimate& estimate);

// None where a fact is missing, not a finite number, or the four cannot be of one series (fewer than two bars, γ4 < γ3² + 1).
std::optional<SharpeEstimate> EstimateFromFacts(const std::map<std::string, std::string>& facts);

}  // namespace traind::stats
