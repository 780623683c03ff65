#include "common/spec/yaml_reader.h"

#include <exception>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/spec/node_reader.h"
#include "common/spec/text.h"
#include "common/spec/yaml_text.h"

namespace traind::spec {

std::vector<FieldError> ReadYaml(absl::string_view text, const std::string& source, google::protobuf::Message& message, Origins& origins) {
  const absl::StatusOr<YAML::Node> root = ParseYamlText(text);
  if (!root.ok()) return {{"", absl::StrCat(source, " ", root.status().message())}};
  std::vector<FieldError> errors;
  // yaml-cpp throws where it finds a node invalid; the walk asks for types first, so this is a net below it.
  try {
    if (root->IsNull()) return {{"", absl::StrCat(source, " is empty")}};
    NodeReader(source, NodeReader::Lines::kKnown, NodeReader::QuotedNumbers::kNo, *message.GetDescriptor(), origins, errors)
        .ReadBlock(*root, "", message);
  } catch (const std::exception& error) {
    errors.push_back({"", absl::StrCat(source, " cannot be read as YAML: ", Printable(error.what()))});
  }
  return errors;
}

}  // namespace traind::spec
