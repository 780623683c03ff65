#include <map>

#include "absl/strings/str_cat.h"
#include "tests/parity/recipes/recipes.h"
#include "worker/train/gradient_clip.h"
#include "worker/train/optimizer.h"

namespace traind::parity {
namespace {

namespace train = worker::train;

// in.parameter.<i> as a module, whose parameters are named by their number.
struct Numbered : torch::nn::Module {
  explicit Numbered(const Fixture& fixture) {
    for (int i = 0; fixture.Has(absl::StrCat("in.parameter.", i)); ++i) {
      register_parameter(std::to_string(i), fixture.In(absl::StrCat("parameter.", i)).clone());
    }
    TORCH_CHECK(!parameters().empty(), "the file has no tensor in.parameter.0");
  }
};

// torch.optim's options under our names. What ours lack must be off.
train::OptimizerOptions Options(const Fixture& fixture) {
  const auto kind = fixture.Arg<std::string>("kind");
  const std::map<std::string, train::OptimizerKind> kinds = {
      {"Adam", train::OptimizerKind::kAdam}, {"AdamW", train::OptimizerKind::kAdamW}, {"SGD", train::OptimizerKind::kSgd}};
  TORCH_CHECK(kinds.contains(kind), "args.kind is ", kind, "; there are Adam, AdamW, SGD");
  train::OptimizerOptions options;
  options.kind = kinds.at(kind);
  // The default of torch.optim.AdamW alone.
  if (options.kind == train::OptimizerKind::kAdamW) options.weight_decay = 1e-2;
  const auto given = fixture.Arg<nlohmann::json>("options");
  for (const auto& [name, value] : given.items()) {
    if (name == "lr") {
      options.learning_rate = value;
    } else if (name == "betas") {
      options.beta1 = value.at(0);
      options.beta2 = value.at(1);
    } else if (name == "eps") {
      options.epsilon = value;
    } else if (name == "weight_decay") {
      options.weight_decay = value;
    } else if (name == "amsgrad") {
      options.amsgrad = value;
    } else if (name == "momentum") {
      options.momentum = value;
    } else if (name == "dampening") {
      options.dampening = value;
    } else if (name == "nesterov") {
      options.nesterov = value;
    } else if (name != "foreach" && name != "fused" && name != "capturable" && name != "differentiable") {
      TORCH_CHECK(value.is_null() || value == false, "the optimiser's option ", name, " is ", value.dump(), "; ours has no such option");
    }
  }
  return options;
}

}  // namespace

void Optimiser(const Fixture& fixture, Comparison& comparison) {
  Numbered module(fixture);
  train::FlatParameters parameters(module);
  train::Optimizer optimizer(parameters, Options(fixture));
  for (int64_t step = 1; step <= fixture.Arg<int64_t>("steps"); ++step) {
    for (const train::FlatParameters::Slice& slice : parameters.slices()) {
      train::FlatParameters::View(parameters.gradients(), slice).copy_(fixture.In(absl::StrCat("gradient.", step, ".", slice.name)));
    }
    optimizer.Step(torch::zeros({}, torch::kFloat32));
    for (const train::FlatParameters::Slice& slice : parameters.slices()) {
      const std::string name = absl::StrCat("out.parameter.", step, ".", slice.name);
      if (fixture.Has(name)) comparison.Compare(name, train::FlatParameters::View(parameters.values(), slice));
    }
  }
  // exp_avg.<i>, momentum_buffer.<i>, …: torch.optim's names.
  for (const train::NamedTensor& state : optimizer.State()) {
    const std::string name = absl::StrCat("out.", state.name);
    if (fixture.Has(name)) comparison.Compare(name, state.tensor);
  }
}

}  // namespace traind::parity
