#include "server/domain/trial.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/stats/sharpe_facts.h"

namespace traind::server::domain {
namespace {

// A trial stays for good, so that it must not be of any size a worker likes. SHA-256 in hex has 64.
constexpr size_t kLongestFingerprint = 128;

}  // namespace

std::optional<Trial> TrialOf(const Job& job) {
  const auto fingerprint = job.result.find("data_fingerprint");
  const std::optional<stats::SharpeEstimate> estimate = stats::EstimateFromFacts(job.result);
  if (fingerprint == job.result.end() || fingerprint->second.empty() || fingerprint->second.size() > kLongestFingerprint)
    return std::nullopt;
  if (!estimate.has_value()) return std::nullopt;
  return Trial{fingerprint->second, job.spec_sha256, estimate->sharpe, estimate->bars};
}

void SetDeflatedSharpe(Job& job, std::span<const double> sharpes) {
  const std::optional<stats::SharpeEstimate> estimate = stats::EstimateFromFacts(job.result);
  if (!estimate.has_value()) return;
  job.result["trials"] = absl::StrCat(sharpes.size());
  job.result["dsr"] = absl::StrFormat("%.6g", stats::DeflatedSharpeRatio(*estimate, sharpes));
}

}  // namespace traind::server::domain
