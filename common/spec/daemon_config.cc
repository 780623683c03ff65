#include "common/spec/daemon_config.h"

#include <vector>

#include "common/base/status.h"
#include "common/spec/normalise.h"
#include "common/spec/validate.h"
#include "common/spec/yaml_reader.h"
#include "common/spec/yaml_text.h"

namespace traind::spec {

absl::StatusOr<config::v1::DaemonConfig> LoadDaemonConfig(absl::string_view text, const std::string& source) {
  config::v1::DaemonConfig config;
  Origins origins;
  std::vector<FieldError> errors;
  const absl::StatusOr<YAML::Node> parsed = ParseYamlText(text);
  // A file of comments is a configuration; a job file without a value is an error, so the reader would refuse it.
  if (!parsed.ok() || !parsed->IsNull()) errors = ReadYaml(text, source, config, origins);
  std::vector<FieldError> invalid = ValidateConfig(config);
  AddOrigins(origins, invalid);
  errors.insert(errors.end(), invalid.begin(), invalid.end());
  if (!errors.empty()) return Annotate(FieldErrorsStatus(errors), source);
  return NormaliseConfig(config);
}

}  // namespace traind::spec
