#include "common/obs/logger.h"

#include <unistd.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"

namespace traind::obs {
namespace {

constexpr absl::string_view kNames[] = {"debug", "info", "warning", "error"};

std::string Timestamp(absl::Time now) { return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", now, absl::UTCTimeZone()); }

std::string TextOf(const LogValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    // A line stays a line, whatever a user's text holds.
    const bool plain = !text->empty() && text->find_first_of(" \"=\n\t") == std::string::npos;
    return plain ? absl::Utf8SafeCHexEscape(*text) : absl::StrCat("\"", absl::Utf8SafeCHexEscape(*text), "\"");
  }
  if (const auto* number = std::get_if<int64_t>(&value)) return absl::StrCat(*number);
  if (const auto* number = std::get_if<double>(&value)) return absl::StrFormat("%.6g", *number);
  return std::get<bool>(value) ? "true" : "false";
}

std::string TextLine(absl::Time now, Severity severity, absl::string_view message, const std::vector<LogField>& fields) {
  std::string line = absl::StrCat(Timestamp(now), " ", kNames[static_cast<int>(severity)], " ", absl::Utf8SafeCHexEscape(message));
  for (const LogField& field : fields) absl::StrAppend(&line, " ", field.name, "=", TextOf(field.value));
  return line;
}

std::string JsonLine(absl::Time now, Severity severity, absl::string_view message, const std::vector<LogField>& fields) {
  nlohmann::ordered_json line = {
      {"time", Timestamp(now)}, {"level", std::string(kNames[static_cast<int>(severity)])}, {"message", std::string(message)}};
  for (const LogField& field : fields) {
    std::visit([&](const auto& value) { line[field.name] = value; }, field.value);
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void Logger::Log(Severity severity, absl::string_view message, const std::vector<LogField>& fields) {
  if (severity < options_.level) return;
  const absl::Time now = clock_.Now();
  std::string line =
      options_.format == LogFormat::kJson ? JsonLine(now, severity, message, fields) : TextLine(now, severity, message, fields);
  line += '\n';
  [[maybe_unused]] const ssize_t written = ::write(options_.fd, line.data(), line.size());
}

Severity SeverityFromName(absl::string_view name) {
  for (int i = 0; i < 4; ++i) {
    if (kNames[i] == name) return static_cast<Severity>(i);
  }
  return Severity::kInfo;
}

}  // namespace traind::obs
