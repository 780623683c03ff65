// Weights in a binary tree of sums, to draw an index in proportion to its weight in O(log N). Sums are float64 and a parent is always
// recomputed from its two children, never changed by a difference, so that a sum cannot drift; the number of leaves is a power of two, so
// that a descent by prefix sums keeps the order of the leaves.
#pragma once

#include <cstdint>
#include <vector>

namespace traind::worker::rl {

// Thread-compatible.
class SumTree {
 public:
  // At least `capacity` leaves, all 0.
  explicit SumTree(int64_t capacity);

  // `weight` ≥ 0 and finite.
  void Set(int64_t leaf, double weight);
  double Get(int64_t leaf) const { return nodes_[static_cast<size_t>(leaves_ + leaf)]; }
  double total() const { return nodes_[1]; }
  // The leaf's share of the total, by which it is drawn.
  double Probability(int64_t leaf) const { return Get(leaf) / total(); }

  // The leaf whose share of [0, total) holds `mass`; masses beyond the ends count as the ends. Never a leaf of weight 0 as long as
  // total() > 0.
  int64_t Find(double mass) const;

 private:
  int64_t leaves_ = 1;
  std::vector<double> nodes_;  // the root is 1, the children of i are 2i and 2i + 1
};

}  // namespace traind::worker::rl
