#include <algorithm>
#include <limits>

#include "tests/parity/recipes/recipes.h"
#include "worker/rl/importance.h"
#include "worker/rl/sum_tree.h"

namespace traind::parity {

namespace rl = worker::rl;

void Per(const Fixture& fixture, Comparison& comparison) {
  const torch::Tensor priority = fixture.In("priority").to(torch::kFloat64), fraction = fixture.In("mass_fraction").to(torch::kFloat64);
  const int64_t count = priority.size(0);
  const auto alpha = fixture.Arg<double>("alpha");
  rl::SumTree tree(count);
  for (int64_t i = 0; i < count; ++i) tree.Set(i, rl::DrawWeight(priority[i].item<double>(), alpha));
  comparison.Compare("out.total", torch::tensor(tree.total(), torch::kFloat64));
  const torch::Tensor probability = torch::empty({count}, torch::kFloat64);
  double smallest = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < count; ++i) {
    probability[i] = tree.Probability(i);
    if (tree.Probability(i) > 0) smallest = std::min(smallest, tree.Probability(i));
  }
  comparison.Compare("out.probability", probability);

  std::vector<int64_t> index;
  std::vector<double> drawn, beta;
  for (int64_t draw = 0; draw < fraction.size(0); ++draw) {
    index.push_back(tree.Find(fraction[draw].item<double>() * tree.total()));
    drawn.push_back(tree.Probability(index.back()));
  }
  comparison.Compare("out.index", torch::tensor(index, torch::kInt64));
  // The largest weight is that of the smallest probability, of those drawn or of all.
  const double smallest_drawn = *std::min_element(drawn.begin(), drawn.end());
  const torch::Tensor steps = fixture.In("step").to(torch::kFloat64);
  const auto weights = torch::empty({2, steps.size(0), static_cast<int64_t>(drawn.size())}, torch::kFloat64);
  for (int64_t at = 0; at < steps.size(0); ++at) {
    const auto step = static_cast<int64_t>(steps[at].item<double>());
    beta.push_back(rl::AnnealedBeta(fixture.Arg<double>("beta0"), step, fixture.Arg<int64_t>("beta_steps")));
    for (const auto& [of, least] : {std::pair(0, smallest_drawn), std::pair(1, smallest)}) {
      rl::ImportanceWeights(drawn, least, beta.back(), {weights[of][at].data_ptr<double>(), drawn.size()});
    }
  }
  comparison.Compare("out.beta", torch::tensor(beta, torch::kFloat64));
  comparison.Compare("out.weight_batchmax", weights[0]);
  comparison.Compare("out.weight_allmax", weights[1]);
}

}  // namespace traind::parity
