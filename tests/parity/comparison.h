// Our numbers against those of a fixture.
#pragma once

#include <torch/types.h>

#include <set>
#include <string>
#include <vector>

#include "tests/parity/fixture.h"

namespace traind::parity {

// Collects the worst error and what is wrong. A tensor passes where |ours - expected| ≤ tolerance · max(1, max|expected|) in every entry;
// NaN equals NaN and an infinity itself. Thread-compatible; `fixture` outlives it.
class Comparison {
 public:
  explicit Comparison(const Fixture& fixture) : fixture_(fixture) {}

  // `name` with its prefix: out., grad. or grad_in. of any element type.
  void Compare(const std::string& name, const torch::Tensor& ours);
  // The rows [K] int64 of the first dimension only, `ours` having these K; the others, if any, are left out for the reason given.
  void CompareRows(const std::string& name, const torch::Tensor& rows, const torch::Tensor& ours, const std::string& reason);
  // Of all expected tensors whose name begins so. They are not compared, for the reason given.
  void LeaveOut(const std::string& prefix, const std::string& reason);

  // To be read after the recipe has run. Errors, and expected tensors that nobody compared; empty if the file has passed.
  std::vector<std::string> Failures() const;
  double worst() const { return worst_; }  // error over what is allowed
  const std::string& worst_tensor() const { return worst_tensor_; }
  int64_t compared() const { return static_cast<int64_t>(compared_.size()); }
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  void Check(const std::string& name, const torch::Tensor& ours, const torch::Tensor& expected);

  const Fixture& fixture_;
  double worst_ = 0;
  std::string worst_tensor_ = "none";
  std::set<std::string> compared_, explained_;
  std::vector<std::string> failures_, left_out_;
};

}  // namespace traind::parity
