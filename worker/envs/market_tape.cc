#include "worker/envs/market_tape.h"

#include <algorithm>
#include <cmath>

namespace traind::worker::envs {
namespace {

std::vector<double> VolatilityOf(const data::Instrument& bars) {
  const data::FeatureMatrix log_volatility = data::ComputeFeatures(bars, {"volatility"}, {});
  std::vector<double> result;
  for (const float value : log_volatility.values) result.push_back(std::exp(static_cast<double>(value)));
  return result;
}

}  // namespace

MarketTape MarketTape::Build(const data::Dataset& dataset, const std::vector<std::string>& features) {
  MarketTape tape;
  int32_t next_segment = 0;
  for (const data::Instrument& bars : dataset.instruments) {
    TapeInstrument instrument;
    instrument.name = bars.name;
    instrument.begin = tape.rows();
    instrument.end = instrument.begin + bars.rows();
    instrument.has_open = bars.has_open();
    instrument.features = data::ComputeFeatures(bars, features, dataset.extra_names);
    const std::vector<double>& opens = bars.has_open() ? bars.open : bars.close;
    const std::vector<double> volatility = VolatilityOf(bars);
    tape.time_ns.insert(tape.time_ns.end(), bars.time_ns.begin(), bars.time_ns.end());
    tape.open.insert(tape.open.end(), opens.begin(), opens.end());
    tape.close.insert(tape.close.end(), bars.close.begin(), bars.close.end());
    tape.volatility.insert(tape.volatility.end(), volatility.begin(), volatility.end());
    for (int64_t t = 0; t < bars.rows(); ++t) {
      const bool starts = t == 0 || bars.segment[t] != bars.segment[t - 1];
      tape.since_start.push_back(starts ? 0 : tape.since_start.back() + 1);
      tape.segment.push_back(next_segment + bars.segment[t]);
    }
    next_segment = tape.segment.back() + 1;
    tape.instruments_.push_back(std::move(instrument));
  }
  return tape;
}

std::vector<int64_t> MarketTape::Calendar() const {
  std::vector<int64_t> times = time_ns;
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

data::RowRange MarketTape::RowsOf(const TapeInstrument& instrument, const std::vector<int64_t>& calendar,
                                  const data::RowRange& range) const {
  const auto first = time_ns.begin() + instrument.begin, last = time_ns.begin() + instrument.end;
  const auto row_at = [&](int64_t calendar_row) {
    if (calendar_row >= static_cast<int64_t>(calendar.size())) return instrument.end;
    return static_cast<int64_t>(std::lower_bound(first, last, calendar[static_cast<size_t>(calendar_row)]) - time_ns.begin());
  };
  return {row_at(range.begin), row_at(range.end)};
}

}  // namespace traind::worker::envs
