#include "tests/unit/linkage/matmul.h"

namespace traind::linkage {

double MatmulSum(int n) {
  const at::Tensor ones = at::ones({n, n});
  return at::matmul(ones, ones).sum().item<double>();
}

}  // namespace traind::linkage
