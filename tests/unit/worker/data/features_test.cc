#include "worker/data/features.h"

#include <cmath>

#include "gtest/gtest.h"
#include "worker/data/normaliser.h"

namespace traind::worker::data {
namespace {

Instrument Rising(int64_t rows) {
  Instrument bars;
  bars.name = "A";
  for (int64_t t = 0; t < rows; ++t) {
    const double price = 100 * std::exp(.01 * static_cast<double>(t % 7) + .001 * static_cast<double>(t));
    bars.time_ns.push_back(t * int64_t{86'400} * 1'000'000'000);
    bars.open.push_back(price * .99);
    bars.high.push_back(price * 1.02);
    bars.low.push_back(price * .98);
    bars.close.push_back(price);
    bars.volume.push_back(1000.0 + static_cast<double>(t));
    bars.segment.push_back(t < rows / 2 ? 0 : 1);
  }
  return bars;
}

const std::vector<std::string> kAll = {"return", "range", "body", "volume", "volatility", "calendar"};

TEST(Features, HandComputedValues) {
  const Instrument bars = Rising(60);
  const FeatureMatrix m = ComputeFeatures(bars, {"return", "range", "body"}, {});
  EXPECT_EQ(m.width(), 3);
  EXPECT_NEAR(m.values[3], std::log(bars.close[1] / bars.close[0]), 1e-6);
  EXPECT_NEAR(m.values[4], std::log(1.02 / .98), 1e-6);
  EXPECT_NEAR(m.values[5], -std::log(.99), 1e-6);
  EXPECT_EQ(m.warmup, 1);
}

// Nothing of a later bar, and nothing of an earlier segment, changes a row.
TEST(Features, DependOnThePastOfTheSegmentOnly) {
  const Instrument bars = Rising(60);
  const FeatureMatrix before = ComputeFeatures(bars, kAll, {});
  Instrument changed = bars;
  for (int64_t t = 45; t < 60; ++t)
    changed.close[t] = changed.open[t] = changed.high[t] = changed.low[t] = changed.volume[t] = std::nan("");
  for (int64_t t = 0; t < 29; ++t) changed.close[t] *= 2;
  const FeatureMatrix after = ComputeFeatures(changed, kAll, {});
  for (int64_t t = 30; t < 45; ++t) {
    for (int64_t c = 0; c < before.width(); ++c) {
      EXPECT_EQ(before.values[t * before.width() + c], after.values[t * after.width() + c]) << t << " " << before.names[c];
    }
  }
}

TEST(Features, FirstBarOfASegmentHasNoReturn) {
  const FeatureMatrix m = ComputeFeatures(Rising(60), {"return"}, {});
  EXPECT_EQ(m.values[0], 0);
  EXPECT_EQ(m.values[30], 0);
  EXPECT_NE(m.values[31], 0);
}

TEST(Features, AreChosenByWhatAllInstrumentsHave) {
  Dataset dataset;
  dataset.instruments = {Rising(10), Rising(10)};
  EXPECT_EQ(ChooseFeatures(kAll, dataset).kept, kAll);
  dataset.instruments[1].open.clear();
  dataset.instruments[1].volume.clear();
  const FeatureChoice choice = ChooseFeatures(kAll, dataset);
  EXPECT_EQ(choice.kept, (std::vector<std::string>{"return", "volatility", "calendar"}));
  EXPECT_EQ(choice.left_out, (std::vector<std::string>{"range", "body", "volume"}));
}

TEST(Normaliser, FitsTheGivenRowsOnly) {
  FeatureMatrix m{{"a", "constant"}, {1, 5, 3, 5, 1000, 5}, 0};
  const Normaliser normaliser = Normaliser::Fit(m, 0, 2);
  EXPECT_EQ(normaliser.mean()[0], 2);
  EXPECT_EQ(normaliser.deviation()[0], 1);
  // The third row is cut to ±10, the constant feature is 0.
  EXPECT_EQ(normaliser.Apply(m), (std::vector<float>{-1, 0, 1, 0, 10, 0}));
  m.values[4] = -7;
  EXPECT_EQ(Normaliser::Fit(m, 0, 2).mean(), normaliser.mean());
}

}  // namespace
}  // namespace traind::worker::data
