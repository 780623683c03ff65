#include "worker/rl/sum_tree.h"

#include <cmath>

#include "common/base/rng.h"
#include "gtest/gtest.h"

namespace traind::worker::rl {
namespace {

SumTree TreeOf(const std::vector<double>& weights) {
  SumTree tree(static_cast<int64_t>(weights.size()));
  for (size_t i = 0; i < weights.size(); ++i) tree.Set(static_cast<int64_t>(i), weights[i]);
  return tree;
}

// Prefix sums of a number of leaves that is no power of two keep the leaves' order.
TEST(SumTree, FindsByPrefixSum) {
  const SumTree tree = TreeOf({1, 1, 1});
  EXPECT_EQ(tree.Find(.5), 0);
  EXPECT_EQ(tree.Find(1.5), 1);
  EXPECT_EQ(tree.Find(2.5), 2);
  // A border belongs to the leaf that begins there; beyond the ends are the ends.
  EXPECT_EQ(tree.Find(1), 1);
  EXPECT_EQ(tree.Find(3), 2);
  EXPECT_EQ(tree.Find(-1), 0);
}

TEST(SumTree, NeverFindsALeafOfWeightZero) {
  const SumTree tree = TreeOf({0, 1e-300, 0, 0, 3, 0, 1e12, 0});
  RandomStream random(1, 0, "mass");
  for (int i = 0; i < 100'000; ++i) ASSERT_GT(tree.Get(tree.Find(random.Uniform() * tree.total())), 0);
  EXPECT_EQ(tree.Find(std::nextafter(tree.total(), 0)), 6);
  EXPECT_EQ(tree.Find(tree.total()), 6);
  EXPECT_EQ(tree.Find(0), 1);
}

// After a million changes the root is the sum of the leaves.
TEST(SumTree, DoesNotDrift) {
  constexpr int64_t kLeaves = 1000;
  SumTree tree(kLeaves);
  RandomStream random(2, 0, "updates");
  for (int i = 0; i < 1'000'000; ++i) {
    tree.Set(static_cast<int64_t>(random.UniformInt(kLeaves)), std::exp(20 * random.Uniform() - 10));
  }
  double sum = 0, lost = 0;  // Kahan
  for (int64_t leaf = 0; leaf < kLeaves; ++leaf) {
    const double y = tree.Get(leaf) - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  }
  EXPECT_NEAR(tree.total() / sum, 1, 1e-9);
}

TEST(SumTree, DrawsInProportion) {
  std::vector<double> weights;
  RandomStream random(3, 0, "weights");
  for (int i = 0; i < 50; ++i) weights.push_back(i % 5 == 0 ? 0 : random.Uniform() + .05);
  const SumTree tree = TreeOf(weights);
  constexpr int kDraws = 1'000'000;
  std::vector<int> counts(weights.size());
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<size_t>(tree.Find(random.Uniform() * tree.total()))];
  double chi_square = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double expected = kDraws * weights[i] / tree.total();
    if (expected > 0)
      chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    else
      EXPECT_EQ(counts[i], 0);
  }
  // 39 degrees of freedom: mean 39, standard deviation 8.8.
  EXPECT_LT(chi_square, 39 + 5 * 8.8);
}

}  // namespace
}  // namespace traind::worker::rl
