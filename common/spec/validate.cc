#include "common/spec/validate.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/units.h"
#include "common/spec/data_path.h"
#include "common/spec/field_meta.h"
#include "common/spec/job_rules.h"
#include "common/spec/normalise.h"
#include "common/spec/scalar.h"
#include "common/spec/text.h"
#include "re2/re2.h"

namespace traind::spec {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using options::v1::FieldMeta;

// Patterns come from the schema; one that does not compile is a bug that every job would meet.
bool FullMatch(const std::string& text, const std::string& pattern) { return RE2::FullMatch(text, pattern); }

class FieldChecker {
 public:
  explicit FieldChecker(std::vector<FieldError>& errors) : errors_(errors) {}

  void CheckMessage(const Message& message, const std::string& path) {
    const auto* descriptor = message.GetDescriptor();
    for (int i = 0; i < descriptor->field_count(); ++i) {
      const FieldDescriptor& field = *descriptor->field(i);
      CheckField(message, field, JoinPath(path, field.name()));
    }
  }

 private:
  void CheckField(const Message& message, const FieldDescriptor& field, const std::string& path) {
    const Reflection& reflection = *message.GetReflection();
    if (field.is_map()) return CheckMap(message, field, path);
    if (!field.is_repeated()) {
      if (!reflection.HasField(message, &field)) {
        if (MetaOf(field).required()) Add(path, "is missing; " + MetaOf(field).help());
      } else if (IsBlock(field)) {
        CheckMessage(reflection.GetMessage(message, &field), path);
      } else {
        CheckScalar(field, LoadScalar(message, field), path);
      }
      return;
    }
    const int size = reflection.FieldSize(message, &field);
    for (int i = 0; i < size; ++i) {
      if (IsBlockList(field)) {
        CheckMessage(reflection.GetRepeatedMessage(message, &field, i), ElementPath(path, i));
      } else {
        CheckScalar(field, LoadScalar(message, field, i), ElementPath(path, i));
      }
    }
    CheckSize(field, size, path);
  }

  void CheckSize(const FieldDescriptor& field, int size, const std::string& path) {
    const FieldMeta& meta = MetaOf(field);
    // A list that is not given has its default; an empty one reads the same, and is one.
    if (size > 0 && size < static_cast<int>(meta.min_items())) {
      Add(path, absl::StrCat("has ", size, " elements, at least ", meta.min_items(), " are needed"));
    }
    if (meta.max_items() > 0 && size > static_cast<int>(meta.max_items())) {
      Add(path, absl::StrCat("has ", size, " elements, at most ", meta.max_items(), " are allowed"));
    }
  }

  void CheckMap(const Message& message, const FieldDescriptor& field, const std::string& path) {
    const FieldMeta& meta = MetaOf(field);
    const Reflection& reflection = *message.GetReflection();
    const int size = reflection.FieldSize(message, &field);
    for (int i = 0; i < size; ++i) {
      const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
      const auto* descriptor = entry.GetDescriptor();
      const std::string key = entry.GetReflection()->GetString(entry, descriptor->map_key());
      const std::string value = entry.GetReflection()->GetString(entry, descriptor->map_value());
      if (!meta.key_pattern().empty() && !FullMatch(key, meta.key_pattern())) {
        Add(path, absl::StrCat("the name \"", Printable(key), "\" is not allowed; use ", meta.key_pattern_help()));
      }
      if (!meta.pattern().empty() && !FullMatch(value, meta.pattern())) {
        Add(JoinPath(path, Printable(key)), absl::StrCat("\"", Printable(value), "\" is not allowed; use ", meta.pattern_help()));
      }
    }
    CheckSize(field, size, path);
  }

  void CheckScalar(const FieldDescriptor& field, const ScalarValue& value, const std::string& path) {
    if (const auto* text = std::get_if<std::string>(&value)) return CheckText(field, *text, path);
    if (const auto* whole = std::get_if<int64_t>(&value))
      return CheckNumber(field, static_cast<long double>(*whole), ScalarText(value), path);
    if (const auto* number = std::get_if<double>(&value)) return CheckNumber(field, *number, ScalarText(value), path);
  }

  // long double, which holds every int64.
  void CheckNumber(const FieldDescriptor& field, long double number, const std::string& shown, const std::string& path) {
    const FieldMeta& meta = MetaOf(field);
    const bool low = meta.has_min() && (number < meta.min() || (meta.min_exclusive() && number == meta.min()));
    const bool high = meta.has_max() && (number > meta.max() || (meta.max_exclusive() && number == meta.max()));
    if (low || high || number != number) Add(path, absl::StrCat(shown, " is out of range; it must be ", BoundsText(field)));
  }

  void CheckText(const FieldDescriptor& field, const std::string& text, const std::string& path) {
    const FieldMeta& meta = MetaOf(field);
    if (meta.duration()) {
      const absl::StatusOr<absl::Duration> duration = ParseDurationText(text);
      if (!duration.ok()) return Add(path, std::string(duration.status().message()));
      return CheckNumber(field, absl::ToDoubleSeconds(*duration), text, path);
    }
    if (meta.size()) {
      const absl::StatusOr<uint64_t> size = ParseSizeText(text);
      if (!size.ok()) return Add(path, std::string(size.status().message()));
      return CheckNumber(field, static_cast<double>(*size), text, path);
    }
    if (meta.choices_size() > 0 && std::find(meta.choices().begin(), meta.choices().end(), text) == meta.choices().end()) {
      const std::string meant = ClosestName(text, {meta.choices().begin(), meta.choices().end()});
      return Add(path, absl::StrCat("\"", Printable(text), "\" is not one of ", absl::StrJoin(meta.choices(), ", "),
                                    meant.empty() ? "" : absl::StrCat("; did you mean ", meant, "?")));
    }
    if (!meta.pattern().empty() && !FullMatch(text, meta.pattern())) {
      return Add(path, absl::StrCat("\"", Printable(text), "\" is not allowed; use ", meta.pattern_help()));
    }
    if (!IsValidUtf8(text) || text.find('\0') != std::string::npos) Add(path, "is not plain text");
  }

  void Add(const std::string& path, const std::string& message) { errors_.push_back({path, message}); }

  std::vector<FieldError>& errors_;
};

}  // namespace

std::vector<FieldError> ValidateFields(const Message& message, const std::string& path) {
  std::vector<FieldError> errors;
  FieldChecker(errors).CheckMessage(message, path);
  return errors;
}

std::vector<FieldError> ValidateJob(const v1::JobSpec& spec) {
  std::vector<FieldError> errors = ValidateFields(spec, "");
  CheckJobRules(spec, NormaliseJob(spec), errors);
  return errors;
}

std::vector<FieldError> ValidateConfig(const config::v1::DaemonConfig& config) {
  std::vector<FieldError> errors = ValidateFields(config, "");
  const auto heartbeat = ParseDurationText(config.workers().heartbeat()), lease = ParseDurationText(config.workers().lease());
  if (heartbeat.ok() && lease.ok() && *lease < 3 * *heartbeat) {
    errors.push_back({"workers.lease", absl::StrCat("is ", config.workers().lease(), ", less than three times workers.heartbeat (",
                                                    config.workers().heartbeat(), "): one late message would kill a worker; raise it")});
  }
  for (const auto& [name, folder] : config.data_roots()) {
    if (!IsRootName(name)) {
      errors.push_back(
          {"data_roots", absl::StrCat("\"", Printable(name), "\" cannot name a root; use lower-case letters, digits, '.', '_' and '-'")});
    }
    if (!absl::StartsWith(folder, "/")) {
      errors.push_back({JoinPath("data_roots", name), absl::StrCat("\"", Printable(folder), "\" is not an absolute path; write /folder")});
    }
  }
  return errors;
}

}  // namespace traind::spec
