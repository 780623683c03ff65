#include "tests/parity/recipe.h"
#include "tests/parity/recipes/recipes.h"

namespace traind::parity {

const std::vector<Recipe>& Recipes() {
  static const std::vector<Recipe> recipes = {
      {"c51_projection", C51Projection},
      {"c51_kl_priority", C51KlPriority},
      {"cql_penalty", CqlPenalty},
      {"double_dqn", DoubleDqn},
      {"dqn_update", DqnUpdate},
      {"iqn_loss", IqnLoss},
      {"iqn_net", IqnNet},
      {"n_step", NStep},
      {"noisy_linear", NoisyLinear},
      {"per", Per},
      {"rainbow_net", RainbowNet},
      {"accumulation", Accumulation},
      {"clip_grad_norm", ClipGradNorm},
      {"optimiser", Optimiser},
      {"two_ranks", TwoRanks},
  };
  return recipes;
}

}  // namespace traind::parity
