// The structured log: one line per event, text or JSON. Secrets have no way in: a field is a text, a number or a bool.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/base/clock.h"

namespace traind::obs {

enum class Severity { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };

using LogValue = std::variant<std::string, int64_t, double, bool>;
struct LogField {
  LogField(absl::string_view name, absl::string_view value) : name(name), value(std::string(value)) {}
  LogField(absl::string_view name, const std::string& value) : name(name), value(value) {}
  LogField(absl::string_view name, const char* value) : name(name), value(std::string(value)) {}
  LogField(absl::string_view name, int value) : name(name), value(int64_t{value}) {}
  LogField(absl::string_view name, int64_t value) : name(name), value(value) {}
  LogField(absl::string_view name, double value) : name(name), value(value) {}
  LogField(absl::string_view name, bool value) : name(name), value(value) {}
  std::string name;
  LogValue value;
};

struct LoggerOptions {
  Severity level = Severity::kInfo;  // less severe lines are dropped
  LogFormat format = LogFormat::kText;
  int fd = 2;  // borrowed
};

// Thread-safe: a line is written by one write call. A line that cannot be written is lost; logging never fails its caller.
class Logger {
 public:
  // `clock` outlives the logger.
  Logger(LoggerOptions options, const Clock& clock) : options_(options), clock_(clock) {}

  void Debug(absl::string_view message, const std::vector<LogField>& fields = {}) { Log(Severity::kDebug, message, fields); }
  void Info(absl::string_view message, const std::vector<LogField>& fields = {}) { Log(Severity::kInfo, message, fields); }
  void Warning(absl::string_view message, const std::vector<LogField>& fields = {}) { Log(Severity::kWarning, message, fields); }
  void Error(absl::string_view message, const std::vector<LogField>& fields = {}) { Log(Severity::kError, message, fields); }
  void Log(Severity severity, absl::string_view message, const std::vector<LogField>& fields);

 private:
  const LoggerOptions options_;
  const Clock& clock_;
};

// "debug", "info", "warning", "error"; anything else is info.
Severity SeverityFromName(absl::string_view name);

}  // namespace traind::obs
