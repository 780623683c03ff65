#include "common/base/rng.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace traind {
namespace {

TEST(RandomStream, SameNameSameNumbersOtherNameOthers) {
  RandomStream a(7, 0, "replay");
  RandomStream b(7, 0, "replay");
  RandomStream c(7, 0, "action");
  RandomStream d(7, 1, "replay");
  int equal_c = 0;
  int equal_d = 0;
  for (int i = 0; i < 1000; ++i) {
    const uint32_t word = a();
    EXPECT_EQ(word, b());
    equal_c += word == c();
    equal_d += word == d();
  }
  EXPECT_LT(equal_c, 2);
  EXPECT_LT(equal_d, 2);
}

TEST(RandomStream, SeekGoesBackToAnyPosition) {
  RandomStream stream(1, 0, "x");
  for (int i = 0; i < 5; ++i) stream();
  const uint64_t position = stream.position();
  const double first = stream.Normal();
  stream.Uniform();
  stream.Seek(position);
  EXPECT_EQ(stream.Normal(), first);
}

// Known answer of the reference implementation for counter 0 and key 0.
TEST(RandomStream, MatchesThePublishedPhiloxVector) {
  RandomStream stream(uint64_t{0});
  EXPECT_EQ(stream(), 0x6627e8d5u);
  EXPECT_EQ(stream(), 0xe169c58du);
  EXPECT_EQ(stream(), 0xbc57ac4cu);
  EXPECT_EQ(stream(), 0x9b00dbd8u);
}

TEST(RandomStream, MomentsAndRange) {
  RandomStream stream(3, 0, "moments");
  constexpr int kDraws = 100'000;
  double sum = 0, square = 0, uniform = 0;
  std::vector<int> counts(7);
  for (int i = 0; i < kDraws; ++i) {
    const double normal = stream.Normal();
    sum += normal;
    square += normal * normal;
    const double u = stream.Uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    uniform += u;
    ++counts[stream.UniformInt(7)];
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.02);
  EXPECT_NEAR(square / kDraws, 1.0, 0.03);
  EXPECT_NEAR(uniform / kDraws, 0.5, 0.01);
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 7.0, 500);
}

}  // namespace
}  // namespace traind
