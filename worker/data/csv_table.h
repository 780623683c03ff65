// A CSV file as text cells, read by Arrow. The only place that sees Arrow.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/os/unique_fd.h"

namespace traind::worker::data {

// Immutable; cheap to move. Cells live as long as the table.
class CsvTable {
 public:
  // `name` stands in messages. Errors carry cause DATA: an empty file, no data rows, rows of unequal length (with their number), text that
  // is not UTF-8, more than 1,000 columns.
  static absl::StatusOr<CsvTable> Read(os::UniqueFd file, const std::string& name);

  CsvTable(CsvTable&&) noexcept;
  CsvTable& operator=(CsvTable&&) noexcept;
  ~CsvTable();

  const std::vector<std::string>& columns() const { return columns_; }
  int64_t rows() const { return rows_; }
  absl::string_view Cell(int column, int64_t row) const;
  // The number of a data row as an editor shows it: the header is row 1.
  static int64_t FileRow(int64_t row) { return row + 2; }

 private:
  struct Cells;
  CsvTable();

  std::vector<std::string> columns_;
  int64_t rows_ = 0;
  std::unique_ptr<Cells> cells_;
};

}  // namespace traind::worker::data
