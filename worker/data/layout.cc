#include "worker/data/layout.h"

#include <algorithm>
#include <initializer_list>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/failure.h"
#include "common/base/status.h"

namespace traind::worker::data {
namespace {

class Finder {
 public:
  Finder(const CsvTable& table, const SourceOptions& source) : table_(table), source_(source) {}

  absl::Status Missing(absl::string_view what, absl::string_view field) const {
    return WithCause(absl::InvalidArgumentError(absl::StrCat(source_.path, ": ", what, "; the file has the columns ",
                                                             absl::StrJoin(table_.columns(), ", "), "; set ", source_.field, ".", field)),
                     FailureCause::kData);
  }

  // The column `wanted` if the user gave one, else the first of the usual names; -1 if there is none of those.
  absl::StatusOr<int> Find(const std::string& wanted, absl::string_view field, std::initializer_list<absl::string_view> usual) const {
    if (!wanted.empty()) {
      const int column = IndexOf(wanted);
      if (column < 0) return Missing(absl::StrCat("there is no column ", wanted), absl::StrCat("columns.", field));
      return column;
    }
    for (const absl::string_view name : usual) {
      if (const int column = IndexOf(name); column >= 0) return column;
    }
    return -1;
  }

  int IndexOf(absl::string_view name) const {
    for (size_t i = 0; i < table_.columns().size(); ++i) {
      if (absl::EqualsIgnoreCase(table_.columns()[i], name)) return static_cast<int>(i);
    }
    return -1;
  }

 private:
  const CsvTable& table_;
  const SourceOptions& source_;
};

// Columns that have no role yet.
std::vector<int> Unused(const CsvTable& table, const ColumnRoles& roles) {
  std::vector<int> unused;
  for (int i = 0; i < static_cast<int>(table.columns().size()); ++i) {
    const bool used = i == roles.time || i == roles.instrument || i == roles.open || i == roles.high || i == roles.low ||
                      i == roles.close || i == roles.adjusted_close || i == roles.volume ||
                      std::find(roles.extra.begin(), roles.extra.end(), i) != roles.extra.end();
    if (!used) unused.push_back(i);
  }
  return unused;
}

absl::Status FindNamed(const Finder& finder, const SourceOptions& source, ColumnRoles& roles) {
  const ColumnNames& names = source.columns;
  ASSIGN_OR_RETURN(roles.time, finder.Find(names.time, "time", {"time", "date", "datetime", "timestamp", "ts_event", "open_time"}));
  if (roles.time < 0) return finder.Missing("there is no time column", "columns.time");
  ASSIGN_OR_RETURN(roles.instrument, finder.Find(names.instrument, "instrument", {"ticker", "symbol", "instrument"}));
  ASSIGN_OR_RETURN(roles.open, finder.Find(names.open, "open", {"open"}));
  ASSIGN_OR_RETURN(roles.high, finder.Find(names.high, "high", {"high"}));
  ASSIGN_OR_RETURN(roles.low, finder.Find(names.low, "low", {"low"}));
  ASSIGN_OR_RETURN(roles.close, finder.Find(names.close, "close", {"close"}));
  ASSIGN_OR_RETURN(roles.adjusted_close,
                   finder.Find(names.adjusted_close, "adjusted_close", {"adj close", "adj_close", "adjclose", "adjusted close"}));
  ASSIGN_OR_RETURN(roles.volume, finder.Find(names.volume, "volume", {"volume"}));
  return absl::OkStatus();
}

absl::Status SettleLayout(const CsvTable& table, const Finder& finder, const SourceOptions& source, ColumnRoles& roles) {
  const std::vector<int> unused = Unused(table, roles);
  const bool one_value = roles.close < 0 && roles.open < 0 && unused.size() == 1;
  Layout layout = source.layout;
  if (layout == Layout::kAuto) {
    layout = roles.instrument >= 0 ? Layout::kLong : roles.close >= 0 || one_value ? Layout::kSingle : Layout::kWide;
  }
  roles.layout = layout;
  if (layout == Layout::kLong && roles.instrument < 0) return finder.Missing("there is no instrument column", "columns.instrument");
  if (layout == Layout::kWide) {
    roles.wide = unused;
    // A misspelt OHLC file would otherwise pass as a wide one.
    if (roles.open >= 0 || roles.high >= 0 || roles.low >= 0 || roles.volume >= 0)
      return finder.Missing("there is no close column", "columns.close");
    if (unused.empty()) return finder.Missing("there is no price column", "columns.close");
    return absl::OkStatus();
  }
  // A file of one value column holds closes.
  if (roles.close < 0 && one_value) roles.close = unused[0];
  if (roles.close < 0) return finder.Missing("there is no close column", "columns.close");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ColumnRoles> FindColumns(const CsvTable& table, const SourceOptions& source, PriceKind price,
                                        const std::vector<std::string>& feature_columns) {
  const Finder finder(table, source);
  ColumnRoles roles;
  RETURN_IF_ERROR(FindNamed(finder, source, roles));
  for (const std::string& name : feature_columns) {
    const int column = finder.IndexOf(name);
    if (column < 0) return finder.Missing(absl::StrCat("there is no feature column ", name), "columns, or change data.feature_columns");
    roles.extra.push_back(column);
  }
  RETURN_IF_ERROR(SettleLayout(table, finder, source, roles));
  if (price == PriceKind::kAdjusted && roles.adjusted_close < 0) {
    return finder.Missing("data.price is adjusted, but there is no adjusted close column", "columns.adjusted_close");
  }
  if (price == PriceKind::kRaw) roles.adjusted_close = -1;
  // Fills at the open need all of open, high and low.
  if (roles.open < 0 || roles.high < 0 || roles.low < 0) roles.open = roles.high = roles.low = -1;
  return roles;
}

}  // namespace traind::worker::data
