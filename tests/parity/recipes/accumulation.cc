#include <torch/nn/modules/linear.h>

#include "absl/strings/str_cat.h"
#include "tests/parity/recipes/network.h"
#include "tests/parity/recipes/recipes.h"
#include "worker/train/flat_parameters.h"
#include "worker/train/gradient_accumulation.h"

namespace traind::parity {
namespace {

namespace train = worker::train;

// The files' network, last(tanh(first(x))), and its batch.
struct Net : torch::nn::Module {
  explicit Net(const Fixture& fixture)
      : first(register_module("first", torch::nn::Linear(fixture.Param("first.weight").size(1), fixture.Param("first.weight").size(0)))),
        last(register_module("last", torch::nn::Linear(fixture.Param("last.weight").size(1), fixture.Param("last.weight").size(0)))) {
    to(torch::kFloat64);
    LoadParameters(fixture, *this);
  }
  torch::nn::Linear first, last;
};

class Batch {
 public:
  explicit Batch(const Fixture& fixture)
      : x_(fixture.In("x")),
        y_(fixture.In("y")),
        mask_(fixture.In("mask").to(torch::kFloat64)),
        net_(fixture),
        parameters_(net_),
        parts_(fixture.Arg<std::vector<int64_t>>("splits")) {}

  // Consecutive parts of these numbers of rows.
  const std::vector<int64_t>& parts() const { return parts_; }
  int64_t rows() const { return x_.size(0); }
  double valid() const { return mask_.sum().item<double>(); }
  double entries() const { return static_cast<double>(mask_.numel()); }
  // The sum of squared errors of a part, of the entries of the mask or of all.
  torch::Tensor Sum(int64_t begin, int64_t count, bool masked = true) {
    const torch::Tensor error = net_.last(net_.first(x_.narrow(0, begin, count)).tanh()) - y_.narrow(0, begin, count);
    return (masked ? error.square() * mask_.narrow(0, begin, count) : error.square()).sum();
  }
  const Net& net() const { return net_; }
  train::FlatParameters& parameters() { return parameters_; }
  // Of the parameters, with a prefix before each name.
  void CompareFlat(Comparison& comparison, const std::string& prefix, const torch::Tensor& flat) const {
    for (const train::FlatParameters::Slice& slice : parameters_.slices()) {
      comparison.Compare(prefix + slice.name, train::FlatParameters::View(flat, slice));
    }
  }

 private:
  const torch::Tensor x_, y_, mask_;
  Net net_;
  train::FlatParameters parameters_;
  const std::vector<int64_t> parts_;
};

}  // namespace

void Accumulation(const Fixture& fixture, Comparison& comparison) {
  Batch batch(fixture);
  comparison.Compare("out.count", torch::tensor(batch.valid(), torch::kFloat64));
  train::GradientAccumulator gradient(batch.valid());
  int64_t begin = 0;
  for (const int64_t count : batch.parts()) {
    gradient.Add(batch.Sum(begin, count));
    begin += count;
  }
  TORCH_CHECK(begin == batch.rows(), "args.splits has ", begin, " rows, the batch ", batch.rows());
  comparison.Compare("out.loss", gradient.loss());
  batch.CompareFlat(comparison, "out.accumulated.", batch.parameters().gradients());
  batch.CompareFlat(comparison, "grad.", batch.parameters().gradients());
  comparison.LeaveOut("out.naive.", "the mean of the parts' means is what accumulation must not be");
}

// Each rank accumulates its share over the count of all; the all-reduce is a sum.
void TwoRanks(const Fixture& fixture, Comparison& comparison) {
  Batch batch(fixture);
  torch::Tensor summed = torch::zeros_like(batch.parameters().gradients()), mean = summed.clone();
  double loss = 0;
  int64_t begin = 0;
  const auto share = [&](double total, int64_t count, bool masked) {
    batch.parameters().ZeroGradients();
    train::GradientAccumulator gradient(total);
    gradient.Add(batch.Sum(begin, count, masked));
    if (masked) loss += gradient.loss().item<double>();
    return batch.parameters().gradients().clone();
  };
  for (size_t rank = 0; rank < batch.parts().size(); ++rank) {
    const int64_t count = batch.parts()[rank];
    const torch::Tensor local = share(batch.valid(), count, /*masked=*/true);
    batch.CompareFlat(comparison, absl::StrCat("out.local.", rank, "."), local);
    summed += local;
    mean += share(batch.entries(), count, /*masked=*/false);
    begin += count;
  }
  TORCH_CHECK(begin == batch.rows(), "args.splits has ", begin, " rows, the batch ", batch.rows());
  comparison.Compare("out.loss", torch::tensor(loss, torch::kFloat64));
  batch.CompareFlat(comparison, "out.summed.", summed);
  batch.CompareFlat(comparison, "grad.", summed);
  if (fixture.Has("out.mean.first.weight")) batch.CompareFlat(comparison, "out.mean.", mean);
}

}  // namespace traind::parity
