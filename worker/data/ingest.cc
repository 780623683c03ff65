#include "worker/data/ingest.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "worker/data/time_column.h"

namespace traind::worker::data {
namespace {

// The rows of one instrument within a table.
struct Selection {
  std::string name;
  std::vector<int64_t> rows;
  int close = -1;
};

// The ways published files say that a value is missing; FRED writes a full stop.
bool IsMissing(absl::string_view cell) {
  static constexpr absl::string_view kWords[] = {"", ".", "-", "NA", "N/A", "NaN", "null"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](absl::string_view word) { return absl::EqualsIgnoreCase(cell, word); });
}

class Ingester {
 public:
  Ingester(const CsvTable& table, const SourceOptions& source, const DataOptions& options, ColumnRoles roles, std::vector<int64_t> times)
      : table_(table), source_(source), options_(options), roles_(std::move(roles)), times_(std::move(times)) {}

  absl::StatusOr<IngestedInstrument> Read(Selection selection) const {
    IngestedInstrument result;
    result.bars.name = selection.name;
    result.report.instrument = selection.name;
    result.report.file = source_.path;
    result.report.rows_read = static_cast<int64_t>(selection.rows.size());
    RETURN_IF_ERROR(Sort(selection, result.report));
    for (const int64_t row : selection.rows) {
      ASSIGN_OR_RETURN(const bool keep, AppendRow(row, selection.close, result.bars, result.report));
      if (keep) result.bars.segment.push_back(0);
    }
    RETURN_IF_ERROR(FindGaps(result.bars, result.report));
    FillReport(result.bars, result.report);
    return result;
  }

 private:
  absl::Status Bad(int64_t row, int column, absl::string_view what) const {
    return WithCause(absl::InvalidArgumentError(absl::StrCat(source_.path, ": row ", CsvTable::FileRow(row), ", column ",
                                                             table_.columns()[static_cast<size_t>(column)], ": ", what)),
                     FailureCause::kData);
  }

  absl::Status Sort(Selection& selection, InstrumentReport& report) const {
    std::vector<int64_t>& rows = selection.rows;
    for (size_t i = 1; i < rows.size(); ++i) {
      if (times_[rows[i]] >= times_[rows[i - 1]]) continue;
      ++report.unsorted;
      if (options_.policy.unsorted == Policy::kError) {
        return Bad(rows[i], roles_.time, "is earlier than the row before; sort the file or set data.policy.unsorted: sort");
      }
    }
    std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) { return times_[a] < times_[b]; });
    for (size_t i = 1; i < rows.size(); ++i) {
      if (times_[rows[i]] != times_[rows[i - 1]]) continue;
      ++report.duplicates;
      if (options_.policy.duplicate == Policy::kError) {
        return Bad(
            rows[i], roles_.time,
            absl::StrCat("repeats the time of row ", CsvTable::FileRow(rows[i - 1]), "; remove one or set data.policy.duplicate: drop"));
      }
    }
    // The first of equal times stays.
    rows.erase(std::unique(rows.begin(), rows.end(), [&](int64_t a, int64_t b) { return times_[a] == times_[b]; }), rows.end());
    return absl::OkStatus();
  }

  // A number, NaN where the cell is empty or says in a known way that there is none; an error for any other text.
  absl::StatusOr<double> Number(int64_t row, int column) const {
    const absl::string_view cell = table_.Cell(column, row);
    double number = 0;
    if (IsMissing(cell)) return std::nan("");
    if (!absl::SimpleAtod(cell, &number)) return Bad(row, column, absl::StrCat("\"", cell.substr(0, 40), "\" is not a number"));
    return number;
  }

  // A price; *good is cleared when there is none and the policy lets such rows go.
  absl::StatusOr<double> Price(int64_t row, int column, bool& good, InstrumentReport& report) const {
    ASSIGN_OR_RETURN(const double price, Number(row, column));
    if (std::isfinite(price) && price > 0) return price;
    if (options_.policy.missing == Policy::kError) {
      const std::string what = std::isnan(price) ? "there is no price (NaN or empty)" : absl::StrCat(price, " is no price");
      return Bad(row, column, absl::StrCat(what, "; fix the row or set data.policy.missing: drop"));
    }
    report.missing += good ? 1 : 0;
    good = false;
    return price;
  }

  // Appends one bar; false if a policy dropped it.
  absl::StatusOr<bool> AppendRow(int64_t row, int close_column, Instrument& bars, InstrumentReport& report) const {
    bool good = true;
    ASSIGN_OR_RETURN(double close, Price(row, close_column, good, report));
    double open = close, high = close, low = close, adjusted = close;
    if (roles_.open >= 0) {
      ASSIGN_OR_RETURN(open, Price(row, roles_.open, good, report));
      ASSIGN_OR_RETURN(high, Price(row, roles_.high, good, report));
      ASSIGN_OR_RETURN(low, Price(row, roles_.low, good, report));
    }
    if (roles_.adjusted_close >= 0) {
      ASSIGN_OR_RETURN(adjusted, Price(row, roles_.adjusted_close, good, report));
    }
    if (!good) return false;
    ASSIGN_OR_RETURN(const bool in_order, CheckOrder(row, open, high, low, close, report));
    double volume = 0;
    if (roles_.volume >= 0) {
      ASSIGN_OR_RETURN(volume, Number(row, roles_.volume));
      ASSIGN_OR_RETURN(const bool traded, CheckVolume(row, volume, report));
      if (!traded) return false;
      bars.volume.push_back(volume);
    }
    if (!in_order) {
      if (roles_.volume >= 0) bars.volume.pop_back();
      return false;
    }
    bars.extra.resize(roles_.extra.size());
    for (size_t i = 0; i < roles_.extra.size(); ++i) {
      ASSIGN_OR_RETURN(const double value, Number(row, roles_.extra[i]));
      if (!std::isfinite(value)) return Bad(row, roles_.extra[i], "a feature must be a finite number");
      bars.extra[i].push_back(value);
    }
    // Splits and dividends: all prices of a bar are scaled as its close is.
    const double factor = adjusted / close;
    bars.time_ns.push_back(times_[row]);
    bars.close.push_back(close * factor);
    if (roles_.open >= 0) {
      bars.open.push_back(open * factor);
      bars.high.push_back(high * factor);
      bars.low.push_back(low * factor);
    }
    return true;
  }

  absl::StatusOr<bool> CheckOrder(int64_t row, double open, double high, double low, double close, InstrumentReport& report) const {
    if (low <= std::min(open, close) && high >= std::max(open, close)) return true;
    ++report.ohlc_violations;
    if (options_.policy.ohlc == Policy::kError) {
      return Bad(row, roles_.high,
                 absl::StrCat("low ", low, " ≤ open ", open, ", close ", close, " ≤ high ", high,
                              " does not hold; fix the row or set data.policy.ohlc: drop or mark"));
    }
    return options_.policy.ohlc != Policy::kDrop;
  }

  absl::StatusOr<bool> CheckVolume(int64_t row, double volume, InstrumentReport& report) const {
    if (!std::isfinite(volume) || volume < 0) return Bad(row, roles_.volume, "a volume must be a number that is not negative");
    if (volume > 0) return true;
    ++report.zero_volume;
    if (options_.policy.zero_volume == Policy::kError) {
      return Bad(row, roles_.volume, "the volume is 0; fix the row or set data.policy.zero_volume: drop or mark");
    }
    return options_.policy.zero_volume != Policy::kDrop;
  }

  absl::Status FindGaps(Instrument& bars, InstrumentReport& report) const {
    std::vector<int64_t> steps;
    for (size_t i = 1; i < bars.time_ns.size(); ++i) steps.push_back(bars.time_ns[i] - bars.time_ns[i - 1]);
    if (steps.empty()) return absl::OkStatus();
    std::vector<int64_t> sorted = steps;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2), sorted.end());
    report.usual_step_ns = sorted[sorted.size() / 2];
    report.longest_step_ns = *std::max_element(steps.begin(), steps.end());
    const double longest = options_.policy.max_gap * static_cast<double>(report.usual_step_ns);
    for (size_t i = 0; i < steps.size(); ++i) {
      const bool gap = static_cast<double>(steps[i]) > longest;
      report.gaps += gap ? 1 : 0;
      if (gap && options_.policy.gap == Policy::kError) {
        return WithCause(absl::InvalidArgumentError(absl::StrCat(
                             source_.path, ": ", bars.name, " has a gap of ", absl::FormatDuration(absl::Nanoseconds(steps[i])), " after ",
                             absl::FormatTime(absl::FromUnixNanos(bars.time_ns[i]), absl::UTCTimeZone()),
                             "; fill it, or set data.policy.gap: split or mark, or a larger data.policy.max_gap")),
                         FailureCause::kData);
      }
      bars.segment[i + 1] = bars.segment[i] + (gap && options_.policy.gap == Policy::kSplit ? 1 : 0);
    }
    return absl::OkStatus();
  }

  void FillReport(const Instrument& bars, InstrumentReport& report) const {
    report.rows_kept = bars.rows();
    if (bars.rows() > 0) {
      report.first_ns = bars.time_ns.front();
      report.last_ns = bars.time_ns.back();
    }
    report.has_open = bars.has_open();
    report.has_volume = !bars.volume.empty();
    report.adjusted = roles_.adjusted_close >= 0;
  }

  const CsvTable& table_;
  const SourceOptions& source_;
  const DataOptions& options_;
  const ColumnRoles roles_;
  const std::vector<int64_t> times_;
};

std::string NameFromPath(const std::string& path) { return std::filesystem::path(path.substr(path.find(':') + 1)).stem().string(); }

absl::StatusOr<std::vector<Selection>> Select(const CsvTable& table, const SourceOptions& source, const ColumnRoles& roles) {
  std::vector<Selection> selections;
  std::vector<int64_t> all(static_cast<size_t>(table.rows()));
  std::iota(all.begin(), all.end(), 0);
  if (roles.layout == Layout::kWide) {
    for (const int column : roles.wide) selections.push_back({table.columns()[static_cast<size_t>(column)], all, column});
  } else if (roles.layout == Layout::kSingle) {
    selections.push_back({source.instrument.empty() ? NameFromPath(source.path) : source.instrument, all, roles.close});
  } else {
    std::map<std::string, size_t> index;
    for (const int64_t row : all) {
      const std::string name(table.Cell(roles.instrument, row));
      if (name.empty()) {
        return WithCause(absl::InvalidArgumentError(absl::StrCat(source.path, ": row ", CsvTable::FileRow(row), ", column ",
                                                                 table.columns()[static_cast<size_t>(roles.instrument)],
                                                                 ": is empty, but names the instrument of its row; fill it in")),
                         FailureCause::kData);
      }
      const auto [found, added] = index.emplace(name, selections.size());
      if (added) selections.push_back({name, {}, roles.close});
      selections[found->second].rows.push_back(row);
    }
  }
  return selections;
}

}  // namespace

absl::StatusOr<std::vector<IngestedInstrument>> Ingest(const CsvTable& table, const SourceOptions& source, const DataOptions& options) {
  ASSIGN_OR_RETURN(const ColumnRoles roles, FindColumns(table, source, options.price, options.feature_columns));
  if (roles.layout != Layout::kSingle && !source.instrument.empty()) {
    return FieldErrorsStatus({{source.field + ".instrument", absl::StrCat("is for a file of one instrument, but ", source.path,
                                                                          " names its own; choose among them with data.instruments")}});
  }
  ASSIGN_OR_RETURN(
      std::vector<int64_t> times,
      ParseTimeColumn(table, roles.time,
                      {.format = source.date_format, .zone = source.zone, .field = source.field + ".date_format", .file = source.path}));
  const Ingester ingester(table, source, options, roles, std::move(times));
  std::vector<IngestedInstrument> result;
  ASSIGN_OR_RETURN(std::vector<Selection> selections, Select(table, source, roles));
  for (Selection& selection : selections) {
    const std::vector<std::string>& wanted = options.instruments;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), selection.name) == wanted.end()) continue;
    ASSIGN_OR_RETURN(IngestedInstrument instrument, ingester.Read(std::move(selection)));
    result.push_back(std::move(instrument));
  }
  return result;
}

}  // namespace traind::worker::data
