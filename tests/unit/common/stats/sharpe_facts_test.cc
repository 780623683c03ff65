#include "common/stats/sharpe_facts.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace traind::stats {
namespace {

constexpr SharpeEstimate kEstimate{.bars = 2517, .sharpe = 1.0 / 3, .skewness = -.7, .kurtosis = 8.0 / 7 + 4};

TEST(SharpeFacts, ComeBackWithEveryDigit) {
  EXPECT_EQ(EstimateFromFacts(ToFacts(kEstimate)), kEstimate);
  const SharpeEstimate two_values = EstimateSharpe(std::vector<double>{.01, .01, .01, .05});
  EXPECT_EQ(EstimateFromFacts(ToFacts(two_values)), two_values);
}

TEST(SharpeFacts, WhatIsMissingOrCannotBeIsNone) {
  EXPECT_FALSE(EstimateFromFacts({}).has_value());
  for (const auto& [name, value] : ToFacts(kEstimate)) {
    auto facts = ToFacts(kEstimate);
    facts.erase(name);
    EXPECT_FALSE(EstimateFromFacts(facts).has_value()) << name;
    for (const char* text : {"", "x", "nan", "inf", "1e999", "-3"}) {
      facts[name] = text;
      if (std::string(text) != "-3" || (name != "sharpe_per_bar" && name != "skewness")) {
        EXPECT_FALSE(EstimateFromFacts(facts).has_value()) << name << " " << text;
      }
    }
  }
  auto facts = ToFacts(kEstimate);
  facts["bars"] = "1";
  EXPECT_FALSE(EstimateFromFacts(facts).has_value());
  // No series has a kurtosis below γ3² + 1; a worker that reports the excess is found out.
  facts = ToFacts({.bars = 9, .sharpe = .1, .skewness = 0, .kurtosis = 0});
  EXPECT_FALSE(EstimateFromFacts(facts).has_value());
}

}  // namespace
}  // namespace traind::stats
