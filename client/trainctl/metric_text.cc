#include "client/trainctl/metric_text.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "client/trainctl/table.h"
#include "client/trainctl/text.h"
#include "common/spec/scalar.h"

namespace traind::client::trainctl {
namespace {

// RFC 4180: in quotes where it holds a comma, a quote or a line end.
std::string CsvCell(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

}  // namespace

std::vector<std::string> MetricNames(const std::vector<v1::MetricPoint>& points) {
  std::set<std::string> names;
  for (const v1::MetricPoint& point : points) {
    for (const auto& [name, value] : point.values()) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string MetricTable(const std::vector<v1::MetricPoint>& points, const std::vector<std::string>& names) {
  std::vector<Column> columns = {{"FOLD", Align::kRight}, {"STEP", Align::kRight}};
  for (const std::string& name : names) columns.push_back({Clean(name), Align::kRight});
  Table table(columns);
  for (const v1::MetricPoint& point : points) {
    std::vector<std::string> cells = {absl::StrCat(point.fold()), CountText(point.step())};
    for (const std::string& name : names) {
      const auto value = point.values().find(name);
      cells.push_back(value == point.values().end() ? "" : absl::StrFormat("%.5g", value->second));
    }
    table.AddRow(std::move(cells));
  }
  return table.Render();
}

std::string MetricCsvHeader(const std::vector<std::string>& names) {
  std::string line = "time,fold,step";
  for (const std::string& name : names) absl::StrAppend(&line, ",", CsvCell(name));
  return line + "\n";
}

std::string MetricCsvRow(const v1::MetricPoint& point, const std::vector<std::string>& names) {
  std::string line = absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", FromProto(point.time()), absl::UTCTimeZone()), ",", point.fold(),
                                  ",", point.step());
  for (const std::string& name : names) {
    const auto value = point.values().find(name);
    absl::StrAppend(&line, ",", value == point.values().end() ? "" : spec::NumberText(value->second));
  }
  return line + "\n";
}

std::string MetricLine(const v1::MetricPoint& point) {
  std::string line = absl::StrCat("fold ", point.fold(), "  step ", CountText(point.step()));
  for (const auto& [name, value] : std::map<std::string, double>(point.values().begin(), point.values().end())) {
    absl::StrAppendFormat(&line, "  %s=%.5g", Clean(name), value);
  }
  return line + "\n";
}

}  // namespace traind::client::trainctl
