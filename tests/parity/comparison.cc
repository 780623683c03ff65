#include "tests/parity/comparison.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace traind::parity {
namespace {

bool IsExpected(const std::string& name) {
  return absl::StartsWith(name, "out.") || absl::StartsWith(name, "grad.") || absl::StartsWith(name, "grad_in.");
}

// Largest error of an entry over max(1, max|expected|); infinite where only one of the two is NaN or infinite.
double RelativeError(const torch::Tensor& ours, const torch::Tensor& expected) {
  if (expected.numel() == 0) return 0;
  const torch::Tensor a = ours.detach().to(torch::kFloat64), b = expected.to(torch::kFloat64);
  const torch::Tensor finite = b.isfinite();
  const double scale = std::max(1.0, b.abs().where(finite, 0.0).max().item<double>());
  const torch::Tensor same = (a == b).logical_or(a.isnan().logical_and(b.isnan()));
  const torch::Tensor error = (a - b).abs().div(scale).where(same.logical_not(), 0.0);
  return error.where(error.isfinite(), std::numeric_limits<double>::infinity()).max().item<double>();
}

}  // namespace

void Comparison::Check(const std::string& name, const torch::Tensor& ours, const torch::Tensor& expected) {
  compared_.insert(name);
  if (!ours.defined()) {
    failures_.push_back(absl::StrCat(name, " is expected, but we have nothing there"));
    return;
  }
  if (ours.sizes() != expected.sizes()) {
    failures_.push_back(c10::str(name, " has shape ", expected.sizes(), ", ours ", ours.sizes()));
    return;
  }
  const double tolerance = absl::StartsWith(name, "out.") ? fixture_.tolerance() : fixture_.gradient_tolerance();
  const double error = RelativeError(ours, expected) / tolerance;
  if (error > worst_ || worst_tensor_ == "none") {
    worst_ = error;
    worst_tensor_ = name;
  }
  if (!(error <= 1)) failures_.push_back(absl::StrCat(name, " is off by ", error, " times the tolerance"));
}

void Comparison::Compare(const std::string& name, const torch::Tensor& ours) { Check(name, ours, fixture_.Get(name)); }

void Comparison::CompareRows(const std::string& name, const torch::Tensor& rows, const torch::Tensor& ours, const std::string& reason) {
  const torch::Tensor& expected = fixture_.Get(name);
  Check(name, ours, expected.index_select(0, rows));
  const int64_t left_out = expected.size(0) - rows.size(0);
  if (left_out > 0) left_out_.push_back(absl::StrCat(left_out, " of ", expected.size(0), " rows of ", name, ": ", reason));
}

void Comparison::LeaveOut(const std::string& prefix, const std::string& reason) {
  int64_t count = 0;
  for (const auto& [name, tensor] : fixture_.tensors()) {
    if (!IsExpected(name) || !absl::StartsWith(name, prefix)) continue;
    explained_.insert(name);
    ++count;
  }
  if (count > 0) left_out_.push_back(absl::StrCat(prefix, "*: ", reason));
}

std::vector<std::string> Comparison::Failures() const {
  std::vector<std::string> failures = failures_;
  for (const auto& [name, tensor] : fixture_.tensors()) {
    if (IsExpected(name) && !compared_.contains(name) && !explained_.contains(name)) {
      failures.push_back(absl::StrCat(name, " is expected, but the recipe ", fixture_.recipe(), " compares no such tensor"));
    }
  }
  if (compared_.empty()) failures.emplace_back("the file holds no expected tensor that was compared");
  return failures;
}

}  // namespace traind::parity
