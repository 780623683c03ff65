#include "worker/data/features.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace traind::worker::data {
namespace {

constexpr int64_t kSpan = 20;
constexpr double kDecay = 1.0 - 2.0 / (kSpan + 1);
// Below it a bar counts as having no volatility: keeps the logarithm of constant prices finite.
constexpr double kLeastVolatility = 1e-8;

using Column = std::vector<float>;

// One value per row from `value(row)`, 0 where the row has no predecessor in its segment.
template <typename Value>
Column FromPairs(const Instrument& bars, Value value) {
  Column column(static_cast<size_t>(bars.rows()), 0.0f);
  for (int64_t t = 1; t < bars.rows(); ++t) {
    if (bars.segment[t] == bars.segment[t - 1]) column[t] = static_cast<float>(value(t));
  }
  return column;
}

Column Returns(const Instrument& bars) {
  return FromPairs(bars, [&](int64_t t) { return std::log(bars.close[t] / bars.close[t - 1]); });
}

Column Range(const Instrument& bars) {
  return FromPairs(bars, [&](int64_t t) { return std::log(bars.high[t] / bars.low[t]); });
}

Column Body(const Instrument& bars) {
  return FromPairs(bars, [&](int64_t t) { return std::log(bars.close[t] / bars.open[t]); });
}

// The exponential mean of a segment starts at its first value.
Column Volume(const Instrument& bars) {
  Column column(static_cast<size_t>(bars.rows()), 0.0f);
  double mean = 0;
  for (int64_t t = 0; t < bars.rows(); ++t) {
    const double value = std::log1p(bars.volume[t]);
    const bool starts = t == 0 || bars.segment[t] != bars.segment[t - 1];
    mean = starts ? value : kDecay * mean + (1 - kDecay) * value;
    column[t] = static_cast<float>(value - mean);
  }
  return column;
}

Column Volatility(const Instrument& bars) {
  const Column returns = Returns(bars);
  Column column(static_cast<size_t>(bars.rows()), 0.0f);
  double square = 0;
  int64_t seen = 0;
  for (int64_t t = 0; t < bars.rows(); ++t) {
    if (t == 0 || bars.segment[t] != bars.segment[t - 1]) {
      square = 0;
      seen = 0;
      continue;
    }
    square = kDecay * square + (1 - kDecay) * static_cast<double>(returns[t]) * returns[t];
    // Divided by the weight seen so far, so that the first bars are not too small.
    const double weight = 1 - std::pow(kDecay, static_cast<double>(++seen));
    column[t] = static_cast<float>(std::log(std::max(kLeastVolatility, std::sqrt(square / weight))));
  }
  return column;
}

void AppendCalendar(const Instrument& bars, std::vector<std::string>& names, std::vector<Column>& columns) {
  constexpr int64_t kDay = int64_t{86'400} * 1'000'000'000;
  for (const int64_t period : {kDay, 7 * kDay}) {
    const std::string name = period == kDay ? "day" : "week";
    for (const bool sine : {true, false}) {
      Column column;
      for (const int64_t time : bars.time_ns) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(((time % period) + period) % period) / static_cast<double>(period);
        column.push_back(static_cast<float>(sine ? std::sin(angle) : std::cos(angle)));
      }
      names.push_back((sine ? "sin_" : "cos_") + name);
      columns.push_back(std::move(column));
    }
  }
}

}  // namespace

FeatureChoice ChooseFeatures(const std::vector<std::string>& wanted, const Dataset& dataset) {
  const auto all = [&](auto has) { return std::all_of(dataset.instruments.begin(), dataset.instruments.end(), has); };
  const bool open = all([](const Instrument& i) { return i.has_open(); });
  const bool volume = all([](const Instrument& i) { return !i.volume.empty(); });
  FeatureChoice choice;
  for (const std::string& name : wanted) {
    const bool possible = (name != "range" && name != "body" && name != "volume") || (name == "volume" ? volume : open);
    (possible ? choice.kept : choice.left_out).push_back(name);
  }
  return choice;
}

FeatureMatrix ComputeFeatures(const Instrument& bars, const std::vector<std::string>& names, const std::vector<std::string>& extra_names) {
  FeatureMatrix matrix;
  std::vector<Column> columns;
  for (const std::string& name : names) {
    if (name == "calendar") {
      AppendCalendar(bars, matrix.names, columns);
      continue;
    }
    matrix.names.push_back(name);
    columns.push_back(name == "return"   ? Returns(bars)
                      : name == "range"  ? Range(bars)
                      : name == "body"   ? Body(bars)
                      : name == "volume" ? Volume(bars)
                                         : Volatility(bars));
    matrix.warmup = std::max<int64_t>(matrix.warmup, name == "volume" || name == "volatility" ? kSpan : 1);
  }
  for (size_t i = 0; i < extra_names.size(); ++i) {
    matrix.names.push_back(extra_names[i]);
    columns.emplace_back(bars.extra[i].begin(), bars.extra[i].end());
  }
  matrix.values.resize(static_cast<size_t>(bars.rows()) * columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    for (int64_t t = 0; t < bars.rows(); ++t) matrix.values[static_cast<size_t>(t) * columns.size() + c] = columns[c][t];
  }
  return matrix;
}

}  // namespace traind::worker::data
