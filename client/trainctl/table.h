// Columns of text, as wide as their widest cell.
#pragma once

#include <string>
#include <vector>

namespace traind::client::trainctl {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

// Cells are cleaned of control characters; an empty cell shows as "-". Thread-compatible.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as columns.
  void AddRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  // Title line and rows, each ended by a newline and without spaces at its end. `indent` spaces stand before each line.
  std::string Render(int indent = 0) const;

 private:
  const std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace traind::client::trainctl
