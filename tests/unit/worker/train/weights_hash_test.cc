#include "worker/train/weights_hash.h"

#include "gtest/gtest.h"

namespace traind::worker::train {
namespace {

TEST(WeightsSha256, ChangesWithAnyBitAndNothingElse) {
  torch::nn::Linear a(3, 2);
  torch::nn::Linear b(3, 2);
  torch::NoGradGuard no_grad;
  b->weight.copy_(a->weight);
  b->bias.copy_(a->bias);
  EXPECT_EQ(WeightsSha256(*a).size(), 64U);
  EXPECT_EQ(WeightsSha256(*a), WeightsSha256(*b));
  b->bias[1] = std::nextafter(b->bias[1].item<float>(), 10.0F);
  EXPECT_NE(WeightsSha256(*a), WeightsSha256(*b));
}

}  // namespace
}  // namespace traind::worker::train
