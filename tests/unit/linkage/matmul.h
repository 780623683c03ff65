#pragma once

namespace traind::linkage {

// Sum of the product of two n×n matrices of ones, by LibTorch: n³.
double MatmulSum(int n);

}  // namespace traind::linkage
