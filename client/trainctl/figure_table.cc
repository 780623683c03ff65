#include "client/trainctl/figure_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/trainctl/table.h"

namespace traind::client::trainctl {
namespace {

enum class Format { kPercent, kDecimal, kCount };

struct FigureRow {
  const char* title;
  const char* member;
  Format format;
};

constexpr FigureRow kRows[] = {{"net return", "net_return", Format::kPercent},
                               {"CAGR", "cagr", Format::kPercent},
                               {"Sharpe, per year", "sharpe", Format::kDecimal},
                               {"Sortino, per year", "sortino", Format::kDecimal},
                               {"probability Sharpe > 0 (PSR)", "psr", Format::kDecimal},
                               {"maximum drawdown", "max_drawdown", Format::kPercent},
                               {"its length in bars", "max_drawdown_bars", Format::kCount},
                               {"Calmar", "calmar", Format::kDecimal},
                               {"CVaR 5 %, of a bar", "cvar_5", Format::kPercent},
                               {"hit rate", "hit_rate", Format::kPercent},
                               {"profit factor", "profit_factor", Format::kDecimal},
                               {"exposure", "exposure", Format::kPercent},
                               {"turnover per year, one side", "turnover", Format::kDecimal},
                               {"costs per year", "cost_drag", Format::kPercent},
                               {"bars", "bars", Format::kCount}};

std::string TextOf(const Json& figures, const FigureRow& row) {
  if (row.format == Format::kPercent) return PercentAt(figures, {row.member});
  if (row.format == Format::kDecimal) return DecimalAt(figures, {row.member});
  const Json& value = At(figures, {row.member});
  // The mean of counts is not a whole number.
  return value.is_number_float() ? absl::StrFormat("%.1f", value.get<double>()) : CountAt(figures, {row.member});
}

}  // namespace

std::string FigureTable(const std::vector<FigureColumn>& columns) {
  std::vector<Column> titles = {{"FIGURE"}};
  for (const FigureColumn& column : columns) titles.push_back({column.title, Align::kRight});
  Table table(std::move(titles));
  for (const FigureRow& row : kRows) {
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const FigureColumn& column) { return column.figures->is_object() && column.figures->contains(row.member); })) {
      continue;
    }
    std::vector<std::string> cells = {row.title};
    for (const FigureColumn& column : columns) cells.push_back(TextOf(*column.figures, row));
    table.AddRow(std::move(cells));
  }
  return table.Render(2);
}

}  // namespace traind::client::trainctl
