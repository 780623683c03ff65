#include "worker/rl/sum_tree.h"

#include <bit>

namespace traind::worker::rl {

SumTree::SumTree(int64_t capacity)
    : leaves_(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(capacity)))), nodes_(static_cast<size_t>(2 * leaves_), 0.0) {}

void SumTree::Set(int64_t leaf, double weight) {
  auto node = static_cast<size_t>(leaves_ + leaf);
  nodes_[node] = weight;
  for (node /= 2; node >= 1; node /= 2) nodes_[node] = nodes_[2 * node] + nodes_[2 * node + 1];
}

int64_t SumTree::Find(double mass) const {
  size_t node = 1;
  while (node < static_cast<size_t>(leaves_)) {
    const size_t left = 2 * node;
    // An empty side is never entered, whatever rounding did to the mass.
    if (nodes_[left + 1] == 0 || (mass < nodes_[left] && nodes_[left] > 0)) {
      node = left;
    } else {
      mass -= nodes_[left];
      node = left + 1;
    }
  }
  return static_cast<int64_t>(node) - leaves_;
}

}  // namespace traind::worker::rl
