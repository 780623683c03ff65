// A finished run as one trial on its data: whoever takes the best of many has to be told how many there were
// (docs/adr/0005-trials.md). Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "server/domain/job.h"

namespace traind::server::domain {

// Named by data and specification; a repetition of the same run is the same trial.
struct Trial {
  std::string data_fingerprint;
  std::string spec_sha256;
  double sharpe = 0;  // per bar, of the stitched out-of-sample curve; finite
  int64_t bars = 0;
  bool operator==(const Trial&) const = default;
};

// None for a job whose results lack a data_fingerprint or the moments of its returns (common/stats/sharpe_facts.h), or hold such as
// cannot be.
std::optional<Trial> TrialOf(const Job& job);

// Sets the results "trials" and "dsr" of a job that has a trial. `sharpes`: of every trial on its data, its own among them.
void SetDeflatedSharpe(Job& job, std::span<const double> sharpes);

}  // namespace traind::server::domain
