#include "client/trainctl/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/trainctl/text.h"

namespace traind::client::trainctl {
namespace {

constexpr int kColumnGap = 2;

std::string RenderRow(const std::vector<std::string>& cells, const std::vector<Column>& columns, const std::vector<int>& widths,
                      int indent) {
  std::string line(indent, ' ');
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - DisplayWidth(cells[i]), ' ');
    if (i > 0) line.append(kColumnGap, ' ');
    absl::StrAppend(&line, columns[i].align == Align::kRight ? padding : "", cells[i], columns[i].align == Align::kLeft ? padding : "");
  }
  absl::StripTrailingAsciiWhitespace(&line);
  return line + "\n";
}

}  // namespace

void Table::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = cell.empty() ? "-" : Clean(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::Render(int indent) const {
  std::vector<std::string> titles;
  std::vector<int> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    int width = DisplayWidth(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[i]));
    widths.push_back(width);
  }
  std::string text = RenderRow(titles, columns_, widths, indent);
  for (const auto& row : rows_) text += RenderRow(row, columns_, widths, indent);
  return text;
}

}  // namespace traind::client::trainctl
