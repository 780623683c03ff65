#include "worker/data/csv_table.h"

#include <arrow/api.h>
#include <arrow/csv/api.h>
#include <arrow/io/file.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/failure.h"

namespace traind::worker::data {
namespace {

constexpr int kMaxColumns = 1000;

absl::Status Bad(const std::string& name, absl::string_view what) {
  return WithCause(absl::InvalidArgumentError(absl::StrCat(name, ": ", what)), FailureCause::kData);
}

// All cells as text, the header as the first row: types and meaning are ours to decide, with the row at hand.
absl::StatusOr<std::shared_ptr<arrow::Table>> ReadText(os::UniqueFd file, const std::string& name) {
  const arrow::Result<std::shared_ptr<arrow::io::ReadableFile>> input = arrow::io::ReadableFile::Open(file.Release());
  if (!input.ok()) return Bad(name, input.status().message());
  arrow::csv::ReadOptions read = arrow::csv::ReadOptions::Defaults();
  read.use_threads = false;  // messages then hold row numbers
  read.autogenerate_column_names = true;
  arrow::csv::ConvertOptions convert = arrow::csv::ConvertOptions::Defaults();
  convert.strings_can_be_null = false;
  for (int i = 0; i < kMaxColumns; ++i) convert.column_types[absl::StrCat("f", i)] = arrow::utf8();
  const auto reader =
      arrow::csv::TableReader::Make(arrow::io::default_io_context(), *input, read, arrow::csv::ParseOptions::Defaults(), convert);
  if (!reader.ok()) return Bad(name, reader.status().message());
  const arrow::Result<std::shared_ptr<arrow::Table>> table = (*reader)->Read();
  if (!table.ok()) return Bad(name, absl::StrCat("the file cannot be read as CSV: ", table.status().message()));
  return (*table)->CombineChunks().ValueOr(*table);
}

}  // namespace

struct CsvTable::Cells {
  std::vector<std::shared_ptr<arrow::StringArray>> columns;
};

CsvTable::CsvTable() = default;
CsvTable::CsvTable(CsvTable&&) noexcept = default;
CsvTable& CsvTable::operator=(CsvTable&&) noexcept = default;
CsvTable::~CsvTable() = default;

absl::StatusOr<CsvTable> CsvTable::Read(os::UniqueFd file, const std::string& name) {
  absl::StatusOr<std::shared_ptr<arrow::Table>> text = ReadText(std::move(file), name);
  if (!text.ok()) return text.status();
  const std::shared_ptr<arrow::Table>& table = *text;
  if (table->num_columns() > kMaxColumns) return Bad(name, absl::StrCat("has ", table->num_columns(), " columns, at most ", kMaxColumns));
  CsvTable result;
  result.cells_ = std::make_unique<Cells>();
  for (int i = 0; i < table->num_columns(); ++i) {
    if (table->column(i)->num_chunks() != 1) return Bad(name, "the file is empty");
    auto cells = std::dynamic_pointer_cast<arrow::StringArray>(table->column(i)->chunk(0));
    if (cells == nullptr) return Bad(name, "the file cannot be read as text");
    std::string header(absl::StripAsciiWhitespace(std::string(cells->GetView(0))));
    // Spreadsheets like to start a file with a byte order mark.
    if (i == 0) header = std::string(absl::StripPrefix(header, "\xef\xbb\xbf"));
    const auto twin = std::find(result.columns_.begin(), result.columns_.end(), header);
    if (!header.empty() && twin != result.columns_.end()) {
      return Bad(name, absl::StrCat("columns ", twin - result.columns_.begin() + 1, " and ", i + 1, " are both named '", header,
                                    "'; rename or remove one"));
    }
    result.columns_.push_back(std::move(header));
    result.cells_->columns.push_back(std::move(cells));
  }
  for (const char separator : {';', '\t'}) {
    if (table->num_columns() == 1 && absl::StrContains(result.columns_[0], separator)) {
      return Bad(name,
                 absl::StrCat("its columns are separated by ", separator == ';' ? "semicolons" : "tabs", "; separate them by commas"));
    }
  }
  result.rows_ = table->num_rows() - 1;
  if (result.rows_ < 1) return Bad(name, "has a header but no rows");
  return result;
}

absl::string_view CsvTable::Cell(int column, int64_t row) const {
  const std::string_view cell = cells_->columns[static_cast<size_t>(column)]->GetView(row + 1);
  return absl::StripAsciiWhitespace(absl::string_view(cell.data(), cell.size()));
}

}  // namespace traind::worker::data
